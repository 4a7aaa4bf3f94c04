// How a GPU spent a span of time: Table 2 of the TorchBench paper. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace tbci::suite {

// Nanoseconds of one clock.
struct GpuSpan {
  std::int64_t begin;
  std::int64_t end;
};

struct GpuActivity {
  enum class Kind {
    work,      // a kernel, a memset, a copy within the GPU
    movement,  // a copy between the CPU and the GPU
  };
  Kind kind;
  GpuSpan span;
};

// The parts of a span, in nanoseconds: their sum is the span.
struct GpuSplit {
  std::int64_t active = 0;    // at least one piece of work ran
  std::int64_t movement = 0;  // none ran, but data moved between CPU and GPU
  std::int64_t idle = 0;      // neither
};

// Work outside the window does not count; overlapping work (several streams) counts once.
GpuSplit split_of(const std::vector<GpuActivity>& activities, GpuSpan window);

}  // namespace tbci::suite
