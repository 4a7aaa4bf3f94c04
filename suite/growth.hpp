// Looks for memory that is not given back: iterations of their own, after the timed ones, that nothing is timed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "suite/configuration.hpp"
#include "suite/statistics.hpp"

namespace tbci::suite {

class Workload;

// It ends after so many iterations, or once the time is over and `fewest_grown` are done, whichever comes first.
struct GrowthPlan {
  int iterations = 0;  // 0: not at all
  std::chrono::milliseconds time{1000};
};

inline constexpr int fewest_grown = 8;     // enough for an interval, whatever an iteration takes
inline constexpr int most_grown = 100000;  // of these every hundredth is looked at

// What each iteration leaves behind, in bytes.
struct Growth {
  int iterations = 0;  // that were looked at
  std::chrono::nanoseconds wall{};
  Slope in_use;              // by the allocator's count, see memory.hpp
  Slope resident;            // the whole process: pages that any library has touched
  std::optional<Slope> gpu;  // held by tensors on the GPU
};

// Throws what the workload throws.
Growth watch_growth(Workload& workload, DeviceKind device, const GrowthPlan& plan);

}  // namespace tbci::suite
