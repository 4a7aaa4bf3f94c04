// Looks for memory that is not given back: iterations of their own, after the timed ones, that nothing is timed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "suite/configuration.hpp"
#include "suite/statistics.hpp"

namespace tbci::suite {

class Workload;

// A look ends after so many iterations, or once the time is over and `fewest_grown` are done, whichever comes first.
// Where it saw memory grow it is repeated from there, and the last look counts: caches fill for a while (a pool of 50
// images), a leak goes on.
struct GrowthPlan {
  int iterations = 0;  // 0: not at all
  std::chrono::milliseconds time{500};
};

inline constexpr int fewest_grown = 8;         // enough for an interval, whatever an iteration takes
inline constexpr int fewest_grown_again = 16;  // of the looks after the first
inline constexpr int most_looks = 4;
inline constexpr double worth_another_look = 256.0;  // bytes an iteration: of the interval's lower end
inline constexpr int most_grown = 100000;            // iterations of a look; of these every hundredth is used

// What each iteration leaves behind, in bytes.
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
