#include "bisect/parent_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "bisect/level_grid.hpp"

namespace tbci::bisect {
namespace {

/// The step is absent from this probability on. The search then goes on, so that a mistake only costs readings.
constexpr double surely_absent = 0.999;
/// The required probability of a step when no pairs are left.
constexpr double likely_shown = 0.95;

/// Likelihoods of the effects without a step and with one, up to a common factor.
struct Likelihoods {
  double absent = 0, shown = 0;
};

/// Sums over all noises and over all sizes of a step with the expected sign.
Likelihoods likelihoods_of(const LevelData& data, const ParentCheckSettings& settings) {
  // With the expected step on the grid as well: slow processes of the parent may hide it in half of the pairs.
  LevelData with_expected = data;
  with_expected.classes.push_back({.at = 2, .values = {settings.expected}});
  const LevelGrid grid = level_grid_of(with_expected, settings.levels);
  const double sign = settings.expected > 0 ? 1 : -1;
  Likelihoods sum;
  double most = -std::numeric_limits<double>::infinity();  // logarithm of the scale of the sum
  for (const Noise& noise : noises_of(grid, settings.levels)) {
    const ScaledValues scaled = likelihood(data.classes.back(), grid, noise.scale, settings.levels);
    double shown = 0, sizes = 0;
    for (std::size_t g = 0; g < grid.points; ++g) {
      if (sign * grid.at(g) < settings.levels.least_step) continue;
      shown += scaled.values[g];
      ++sizes;
    }
    if (scaled.log_scale > most) {
      const double shrink = std::exp(most - scaled.log_scale);
      sum = {.absent = sum.absent * shrink, .shown = sum.shown * shrink};
      most = scaled.log_scale;
    }
    const double share = noise.prior * std::exp(scaled.log_scale - most);
    sum.absent += share * scaled.values[grid.nearest(0)];
    sum.shown += share * shown / std::max(1.0, sizes);
  }
  return sum;
}

}  // namespace

ParentCheck check_against_parent(std::span<const double> effects, const ParentCheckSettings& settings) {
  TBCI_ASSERT(settings.expected != 0 && settings.least_pairs > 0);
  const double weights[] = {1, 1};
  const Readings parent{.at = 0, .values = {}}, culprit{.at = 1, .values = {effects.begin(), effects.end()}};
  const LevelData data{.classes = {parent, culprit}, .weights = weights, .against_good_end = true};
  const auto count = static_cast<int>(effects.size());
  if (count < settings.least_pairs) return ParentCheck::undecided;
  const Likelihoods likelihoods = likelihoods_of(data, settings);
  const double absent = likelihoods.absent / (likelihoods.absent + likelihoods.shown);
  if (absent < settings.error) return ParentCheck::shown;
  if (absent > surely_absent) return ParentCheck::absent;
  if (count < settings.most_pairs) return ParentCheck::undecided;
  return absent < 1 - likely_shown ? ParentCheck::shown : ParentCheck::absent;
}

}  // namespace tbci::bisect
