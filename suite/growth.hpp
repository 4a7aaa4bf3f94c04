// Looks for memory that a model does not free, in extra iterations after the timed ones. These are not timed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "suite/configuration.hpp"
#include "suite/statistics.hpp"

namespace tbci::suite {

class Workload;

// A look ends after `iterations`, or when the time is over and `fewest_grown` iterations are done, whichever is first.
// A look that saw memory grow is repeated, and the last look counts: a cache fills for a while (a pool of 50 images)
// and then stops, but a leak continues.
struct GrowthPlan {
  int iterations = 0;  // 0: not at all
  std::chrono::milliseconds time{500};
};

inline constexpr int fewest_grown = 8;         // enough for an interval, however long an iteration takes
inline constexpr int fewest_grown_again = 16;  // of the looks after the first
inline constexpr int most_looks = 4;
inline constexpr double worth_another_look = 256.0;  // bytes per iteration, at the interval's lower end
inline constexpr int most_grown = 100000;            // iterations of a look; every hundredth is used

// The memory that each iteration leaves allocated, in bytes.
struct Growth {
  int iterations = 0;               // of the last look
  std::chrono::nanoseconds wall{};  // of all looks
  Slope in_use;                     // by the allocator's count, see memory.hpp
  Slope resident;                   // the whole process: pages that any library has touched
  std::optional<Slope> gpu;         // held by tensors on the GPU
};

// Throws what the workload throws.
Growth watch_growth(Workload& workload, DeviceKind device, const GrowthPlan& plan);

}  // namespace tbci::suite
