// Whether a machine is steady enough to measure builds one after the other, without the good end beside each. Pure;
// safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "detect/effect.hpp"

namespace tbci::bisect {

enum class DriftState {
  steady,
  unsure,   ///< the last session has one reading, which may be an outlier: measure the good end again
  drifting  ///< the level of the good end has moved
};

/// `sessions`: readings of the good end, grouped by the build that it was paired with; first those paired with the bad
/// end. None is empty. `noise`: standard deviation of one reading. A session has moved when its level is more than four
/// standard errors away from the first session's and it has at least two readings.
DriftState drift_of(std::span<const std::vector<double>> sessions, double noise);

/// A reading, in an additive unit (logarithms of times), and the build that it is of.
struct BuildReading {
  std::size_t build = 0;
  double value = 0;
};

/// Whether processes that run one after the other are slow together, as with a neighbour that is busy for a while: the
/// distances of successive readings from the medians of their builds are correlated beyond chance (1 in 100, as above).
/// `readings`: in the order in which they were measured. False with fewer than twelve that follow another one.
bool is_noise_shared(std::span<const BuildReading> readings);

/// Whether the two values of a pair rise and fall together: their correlation is positive beyond chance (1 in 1,000, by
/// the t test of Pearson's coefficient). False with fewer than five pairs.
bool are_correlated(std::span<const detect::Pair> readings);

}  // namespace tbci::bisect
