// Workloads that cost a GPU what their names say. What each one is true by:
//   spin:US        a kernel that counts the cycles of an SM's clock for US microseconds: active for that long
//   spins:US       two of them on two streams, side by side: active for that long once, not twice
//   spin-sleep:US  one, and when it is done the host waits as long: half active, half idle
//   to-gpu:BYTES, from-gpu:BYTES  a copy from or to page-locked memory of the host: nothing but movement
//   on-gpu:BYTES   a copy within the GPU: active
//   copy-sleep:BYTES  a copy to the GPU, and then the host waits as long as it took at start-up: half movement, half
//   idle gpu-touch:BYTES  a tensor that each iteration makes, fills and drops: a peak of BYTES gpu-keep:BYTES   a
//   tensor that each iteration makes, fills and keeps: a leak of BYTES, rounded up to the next 512
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

namespace tbci::suite {
class Workload;
}

namespace tbci::suite::truth {

// A spin, and how long the host waited for it: to start it, for its cycles, and to hear of its end.
struct TimedSpin {
  std::int64_t cycles;
  double microseconds;
};

// The clock that the cycles belong to. By the difference of two spins, as both pay the same for start and end.
inline double megahertz_by(TimedSpin shorter, TimedSpin longer) {
  return static_cast<double>(longer.cycles - shorter.cycles) / (longer.microseconds - shorter.microseconds);
}

inline std::int64_t cycles_of(double microseconds, double megahertz) {
  return std::llround(microseconds * megahertz);
}

// Whether the name's part before the colon is one of the above.
bool is_gpu_kind(const std::string& kind);

// `amount`: what stands behind the colon, microseconds or bytes. CUDA has to be loaded. Says on the standard error what
// was timed at start-up. Throws Unsupported if this LibTorch cannot do it, else what LibTorch throws.
std::unique_ptr<Workload> gpu_workload(const std::string& kind, std::int64_t amount);

}  // namespace tbci::suite::truth
