// The processor or the GPU that a model runs on.
#pragma once

#include <cstdint>
#include <string>

#include <torch/torch.h>

#include "suite/configuration.hpp"

namespace tbci::suite {

// Empty where models can run on it, else the reason why not, in one line.
std::string why_unavailable(DeviceKind kind);

torch::Device torch_device(DeviceKind kind);

// Waits until the device has done all it was asked.
void synchronize(DeviceKind kind);

// Of the CUDA caching allocator, 0 without CUDA. What tensors hold, but for the reserved peak: that is what the
// allocator had from the driver, so the room between and beside the tensors as well.
void reset_gpu_peak();
std::int64_t gpu_peak_bytes();
std::int64_t gpu_reserved_peak_bytes();
std::int64_t gpu_in_use_bytes();

}  // namespace tbci::suite
