// Whether a machine stands still enough that builds can be measured one after the other, without the good end beside
// each. Pure; safe from any thread.
#pragma once

#include <span>
#include <vector>

#include "detect/effect.hpp"

namespace tbci::bisect {

enum class Steadiness {
  steady,
  unsure,   ///< the last sitting gave one value that may be a wild one: measure the good end again
  drifting  ///< the good end is not what it was
};

/// `sittings`: readings of the good end, by the build that it was measured beside; the first are those beside the bad
/// end, none is empty. `noise`: standard deviation of one reading. A sitting that is off by `most_off` standard errors
/// with two values or more has moved.
Steadiness steadiness_of(std::span<const std::vector<double>> sittings, double noise);

/// Whether the two values of a pair move together: their correlation is above 0 beyond chance (1 in 1,000; the t test
/// of Pearson's coefficient). False with fewer than five pairs.
bool move_together(std::span<const detect::Pair> readings);

}  // namespace tbci::bisect
