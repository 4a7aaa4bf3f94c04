#include "bisect/parent_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "bisect/level_grid.hpp"

namespace tbci::bisect {
namespace {

/// Absent as soon as this likely: the search goes on then, so that a mistake costs readings only.
constexpr double likely_absent = 0.999;
/// What is enough once the pairs ran out.
constexpr double likely_shown = 0.95;

struct Weighed {
  double absent = 0, shown = 0;
};

/// How likely the effects are with no step, and with one of the expected sign; noises and sizes are summed over.
Weighed weigh(const LevelData& data, const BesideParentSettings& settings) {
  const Lattice lattice = lattice_of(data, settings.levels);
  const double sign = settings.expected > 0 ? 1 : -1;
  Weighed sum;
  double most = -std::numeric_limits<double>::infinity();  // logarithm of the scale of the sum
  for (const Noise& noise : noises_of(lattice, settings.levels)) {
    const Scaled scaled = likelihood(data.classes.back(), lattice, noise.scale, settings.levels);
    double shown = 0, sizes = 0;
    for (std::size_t g = 0; g < lattice.points; ++g) {
      if (sign * lattice.at(g) < settings.levels.least_step) continue;
      shown += scaled.values[g];
      ++sizes;
    }
    if (scaled.log_scale > most) {
      const double shrink = std::exp(most - scaled.log_scale);
      sum = {sum.absent * shrink, sum.shown * shrink};
      most = scaled.log_scale;
    }
    const double share = noise.prior * std::exp(scaled.log_scale - most);
    sum.absent += share * scaled.values[lattice.nearest(0)];
    sum.shown += share * shown / std::max(1.0, sizes);
  }
  return sum;
}

}  // namespace

BesideParentDecision decide_beside_parent(std::span<const double> effects, const BesideParentSettings& settings) {
  TBCI_ASSERT(settings.expected != 0 && settings.least_pairs > 0);
  const double weights[] = {1, 1};
  const LevelData data{{{0, {}, 1}, {1, {effects.begin(), effects.end()}, 1}}, weights, true};
  BesideParentDecision decision;
  decision.step = posterior_of(data, settings.levels).levels.back();
  const auto count = static_cast<int>(effects.size());
  if (count < settings.least_pairs) return decision;
  const Weighed weighed = weigh(data, settings);
  const double absent = weighed.absent / (weighed.absent + weighed.shown);
  if (absent < settings.error) {
    decision.verdict = BesideParent::shown;
  } else if (absent > likely_absent) {
    decision.verdict = BesideParent::absent;
  } else if (count >= settings.most_pairs) {
    decision.verdict = absent < 1 - likely_shown ? BesideParent::shown : BesideParent::absent;
  }
  return decision;
}

}  // namespace tbci::bisect
