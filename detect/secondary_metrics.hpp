// Metrics that are shown beside the others and never judged by themselves, such as instructions.
#pragma once

#include <span>

#include "detect/effect.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// What the pairs say of a secondary metric: medians and the change with its interval, as `confirm` gives them. The
/// verdict is always `clear`. Pairs that can't be true are left out; of none that is left, the reason says so. Pure.
model::Finding compare_secondary(const model::Series& series, std::span<const Pair> pairs,
                                 const Thresholds& thresholds);

}  // namespace tbci::detect
