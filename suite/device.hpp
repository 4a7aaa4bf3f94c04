// The processor or the GPU that a model runs on.
#pragma once

#include <cstdint>
#include <string>

#include <torch/torch.h>

#include "suite/configuration.hpp"

namespace tbci::suite {

// Empty if models can run on the device, else the reason in one line.
std::string why_unavailable(DeviceKind kind);

torch::Device torch_device(DeviceKind kind);

// Waits until the device has finished all work.
void synchronize(DeviceKind kind);

// Of the CUDA caching allocator; 0 without CUDA. The allocated bytes are those of tensors. The reserved peak is what
// the allocator took from the driver, so it includes the room between the tensors.
void reset_gpu_peak();
std::int64_t gpu_peak_bytes();
std::int64_t gpu_reserved_peak_bytes();
std::int64_t gpu_in_use_bytes();

}  // namespace tbci::suite
