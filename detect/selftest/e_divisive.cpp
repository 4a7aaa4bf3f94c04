#include "detect/selftest/e_divisive.hpp"

#include <algorithm>
#include <cmath>

#include "detect/selftest/statistics.hpp"

namespace tbci::detect::selftest {

namespace {

/// The split of a segment with the largest scaled energy distance between its two parts.
struct BestSplit {
  std::size_t at = 0;
  double energy = -1;
};

/// Sums of distances are carried from split to split: moving one value from the right part to the left changes them by
/// that value's distances alone.
BestSplit best_split(std::span<const double> values, std::size_t least) {
  const std::size_t n = values.size();
  BestSplit best;
  double within_left = 0, within_right = 0, between = 0;  // sums over unordered pairs
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) within_right += std::abs(values[i] - values[j]);
  }
  for (std::size_t at = 1; at < n; ++at) {
    double to_left = 0, to_right = 0;  // of the value that moves
    for (std::size_t j = 0; j + 1 < at; ++j) to_left += std::abs(values[at - 1] - values[j]);
    for (std::size_t j = at; j < n; ++j) to_right += std::abs(values[at - 1] - values[j]);
    within_left += to_left;
    within_right -= to_right;
    between += to_right - to_left;
    if (at < least || n - at < least) continue;
    const auto left = static_cast<double>(at), right = static_cast<double>(n - at);
    const double distance =
        2 * between / (left * right) - 2 * within_left / (left * (left - 1)) - 2 * within_right / (right * (right - 1));
    const double energy = left * right / (left + right) * distance;
    if (energy > best.energy) best = {at, energy};
  }
  return best;
}

void split(std::span<const double> values, std::size_t offset, double p, std::size_t least,
           std::vector<std::size_t>& points) {
  if (values.size() < 2 * least) return;
  const BestSplit best = best_split(values, least);
  if (best.at == 0 || t_test_p(values.first(best.at), values.subspan(best.at)) > p) return;
  points.push_back(offset + best.at);
  split(values.first(best.at), offset, p, least, points);
  split(values.subspan(best.at), offset + best.at, p, least, points);
}

}  // namespace

std::vector<std::size_t> e_divisive(std::span<const double> values, double p, std::size_t least) {
  std::vector<std::size_t> points;
  split(values, 0, p, std::max<std::size_t>(least, 2), points);
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace tbci::detect::selftest
