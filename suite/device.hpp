// The processor or the GPU that a model runs on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <torch/torch.h>

#include "suite/configuration.hpp"
#include "suite/gpu/half.hpp"

namespace tbci::suite {

// Why no model can run on the device; empty if models can. For a GPU it loads what needs CUDA at the first call:
// before anything of LibTorch is called, as that notes for good whether there is CUDA.
GpuAbsence why_unavailable(DeviceKind kind);

torch::Device torch_device(DeviceKind kind);

// Waits until the device has finished all work.
void synchronize(DeviceKind kind);

// The first number of the GPU's compute capability: 8 for Ampere; 0 without CUDA.
int gpu_compute_capability();

// Of the CUDA caching allocator; 0 without CUDA. The allocated bytes are those of tensors. The reserved peak is what
// the allocator took from the driver, so it includes the room between the tensors.
void reset_gpu_peak();
std::int64_t gpu_peak_bytes();
std::int64_t gpu_reserved_peak_bytes();
std::int64_t gpu_in_use_bytes();

// How the GPU spends an iteration, as the mean over this many (suite/gpu/trace.hpp); nothing without CUDA.
std::optional<GpuSplit> gpu_split(const std::function<void()>& iterate, int iterations);

// The GPU at this moment (suite/gpu/load.hpp); nothing without CUDA.
std::optional<GpuState> gpu_state();

// Who launches the GPU's work (suite/gpu/callers.hpp); null without CUDA.
std::unique_ptr<CallerTrace> trace_gpu_callers();

}  // namespace tbci::suite
