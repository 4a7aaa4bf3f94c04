// Where the time of an iteration goes, operator by operator, and what of that differs between two builds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/words.hpp"

namespace tbci::model {

/// An operator in one iteration. The name is what a worker said: hostile text.
struct OperatorTime {
  std::string name;  ///< `aten.addmm.default`; of a node of the backward pass: `AddmmBackward0`
  std::int64_t calls = 0;
  std::chrono::nanoseconds self{};  ///< in it, without the operators that it calls
};

/// One profiled process of one case. All numbers are of one iteration: means over the middle half of
/// the iterations of the process, so they add up.
struct OperatorProfile {
  Case measured;
  TimePoint started{};
  int iterations = 0;
  std::chrono::nanoseconds iteration{};  ///< without the profiler's own time
  std::chrono::nanoseconds outside{};    ///< of it: in no operator
  std::chrono::nanoseconds profiler{};   ///< the profiler's own time, which was taken off
  std::vector<OperatorTime> operators;   ///< each name once
};

struct PlacedProfile {
  Place place;
  OperatorProfile profile;
};

/// Stands among the operators for the time in none of them.
inline constexpr const char* in_no_operator = "(in no operator)";

/// An operator that got slower or quicker. Times are medians over processes of its self time in one iteration; 0 where
/// a build does not call it.
struct OperatorChange {
  std::string name;
  std::chrono::nanoseconds before{}, after{};
  std::int64_t calls_before = 0, calls_after = 0;  ///< in one iteration
  std::chrono::nanoseconds difference() const { return after - before; }
};

/// Two builds of one case, operator by operator.
struct OperatorComparison {
  Case measured;
  int processes = 0;                           ///< of each build
  std::chrono::nanoseconds before{}, after{};  ///< of one iteration, medians over the processes
  std::vector<OperatorChange> changed;         ///< the largest difference first, whatever its sign
  std::chrono::nanoseconds difference() const { return after - before; }
};

}  // namespace tbci::model
