#include "bisect/drift.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "detect/robust_statistics.hpp"

namespace tbci::bisect {
namespace {

constexpr double most_off = 4;
constexpr std::size_t fewest_pairs = 5;
constexpr double chance_together = 1e-3;

/// Of two the one nearer to `to`: a slow process is no drift.
double middle(std::vector<double> values, double to) {
  std::sort(values.begin(), values.end(), [&](double a, double b) { return std::abs(a - to) < std::abs(b - to); });
  return values[(values.size() - 1) / 2];
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace

Steadiness steadiness_of(std::span<const std::vector<double>> sittings, double noise) {
  TBCI_ASSERT(noise > 0);
  if (sittings.size() < 2) return Steadiness::steady;
  const std::vector<double>& first = sittings.front();
  const double level = median(first);
  bool unsure = false;
  for (const std::vector<double>& sitting : sittings.subspan(1)) {
    TBCI_ASSERT(!sitting.empty());
    const double off = std::abs(middle(sitting, level) - level);
    const double error =
        noise * std::sqrt(1 / static_cast<double>(sitting.size()) + 1 / static_cast<double>(first.size()));
    if (off <= most_off * error) continue;
    if (sitting.size() >= 2) return Steadiness::drifting;
    unsure = true;
  }
  return unsure ? Steadiness::unsure : Steadiness::steady;
}

bool move_together(std::span<const detect::Pair> readings) {
  if (readings.size() < fewest_pairs) return false;
  const auto count = static_cast<double>(readings.size());
  double before = 0, after = 0;
  for (const detect::Pair& pair : readings) {
    before += pair.before / count;
    after += pair.after / count;
  }
  double both = 0, before_alone = 0, after_alone = 0;
  for (const detect::Pair& pair : readings) {
    both += (pair.before - before) * (pair.after - after);
    before_alone += (pair.before - before) * (pair.before - before);
    after_alone += (pair.after - after) * (pair.after - after);
  }
  if (before_alone <= 0 || after_alone <= 0) return false;
  const double r = std::min(both / std::sqrt(before_alone * after_alone), 1 - 1e-12);
  if (r <= 0) return false;
  return detect::student_t_upper_tail(r * std::sqrt((count - 2) / (1 - r * r)), count - 2) < chance_together;
}

}  // namespace tbci::bisect
