// What needs CUDA: a library of its own beside the worker (libtbci-gpu.so), which is loaded for the configurations of
// the GPU alone. So those of the CPU load nothing of CUDA, whatever wheel is measured, and a worker needs no CUDA to be
// built.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "suite/gpu/callers.hpp"
#include "suite/gpu/load.hpp"
#include "suite/gpu/split.hpp"

namespace tbci::suite {

// Why no model can run on the GPU, in one line; empty if models can. `broken`: there should be one.
struct GpuAbsence {
  std::string why;
  bool broken = false;
};

// The library's functions, all about the first GPU that CUDA lists.
struct GpuHalf {
  GpuAbsence (*look)();
  int (*compute_capability)();  // its first number: 8 for Ampere

  // Of the CUDA caching allocator.
  void (*reset_peak)();
  std::int64_t (*peak_bytes)();
  std::int64_t (*reserved_peak_bytes)();
  std::int64_t (*in_use_bytes)();

  // See suite/gpu/trace.hpp.
  std::optional<GpuSplit> (*trace)(const std::function<void()>& iterate, int iterations);

  // See suite/gpu/callers.hpp.
  std::unique_ptr<CallerTrace> (*trace_callers)();

  // See suite/gpu/load.hpp.
  std::optional<GpuState> (*state)();
};

// The name under which the library exports a function that returns them.
constexpr const char* gpu_half_name = "tbci_gpu_half";

}  // namespace tbci::suite
