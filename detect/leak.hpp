// When a growth is a leak. Pure; safe from any thread.
//
// A worker says how many bytes an iteration leaves behind, and what that lies between (99%): a slope over many
// iterations. Only what is certain counts: between two builds the gap between their intervals. So a cache that fills
// in jumps, whose interval is wide, is not a leak, and one kilobyte that is kept each time is.
#pragma once

#include <optional>
#include <span>

#include "detect/effect.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// What one process says of a leak, in bytes an iteration.
struct Growth {
  double bytes = 0;
  std::optional<model::Interval> interval = std::nullopt;  ///< 99%; nothing: the worker did not say
};

/// The interval; where the worker gave none, `Thresholds::leak_unknown_bytes` to both sides.
model::Interval bounds_of(const Growth& growth, const Thresholds& thresholds);

/// By how many bytes an iteration `after` certainly leaks more than `before`: the gap between the two intervals. Below
/// 0: less. 0: they touch or overlap.
double certain_difference(const Growth& before, const Growth& after, const Thresholds& thresholds);

/// What a process certainly leaks: the end of its interval that is nearer to 0, and 0 where 0 lies between the two. A
/// history of leaks is made of these, so that no uncertain growth becomes what is usual.
double certain_growth(const Growth& growth, const Thresholds& thresholds);

/// As `screen` (detect/screen.hpp), for cpu_leak and gpu_leak: suspect where the certain difference of the medians is
/// over `Thresholds::leak_floor_bytes`.
model::Finding screen_leak(const model::Series& series, std::span<const Growth> before, std::span<const Growth> after,
                           const Thresholds& thresholds);

}  // namespace tbci::detect
