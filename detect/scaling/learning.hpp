// What losses say: what more of a size returns, and whether one build learns worse than another. Pure; safe from any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "detect/scaling/power_law.hpp"

namespace tbci::detect {

/// What a doubling of the size returns from here on.
struct Returned {
  double gained = 0;  ///< by how much the loss falls, in its unit
  double share = 0;   ///< of what is above the constant: the same at each size
};
Returned returned_by_doubling(const PowerLaw& law, double size);

/// The losses of two builds that were trained on the same samples, from the same first weights.
struct LossPair {
  std::uint64_t seed = 0;
  double before = 0, after = 0;
};

/// Differences smaller than this part of the loss do not count: another order of sums makes some as well.
inline constexpr double least_loss_change = 0.0005;

struct LossChange {
  bool same = false;  ///< all pairs are equal, bit for bit
  Bounded ratio;      ///< after by before: the geometric mean, and its 99% interval over the seeds
  bool worse() const { return ratio.low > 1 && ratio.value > 1 + least_loss_change; }
  bool better() const { return ratio.high < 1 && ratio.value < 1 - least_loss_change; }
};

/// Pairs of one seed at several sizes count as one observation, their mean: they share samples. The interval is
/// Student's, by the seeds. Errors (failed): fewer than two seeds, a loss that is not above 0.
Result<LossChange> compare_losses(const std::vector<LossPair>& pairs);

}  // namespace tbci::detect
