#include "detect/scan_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tbci::detect {

namespace {

double density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double upper_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

// A length of a stretch, standing for `count` lengths around it.
struct Length {
  double nights;
  double count;
};

// All lengths from `shortest` to `longest`: the short ones, where most of the sum is, one by one, then in growing
// blocks.
std::vector<Length> lengths(std::size_t shortest, std::size_t longest) {
  std::vector<Length> all;
  for (std::size_t first = shortest; first <= longest;) {
    const std::size_t last = std::min(longest, first + (first - shortest) / 2);
    const auto count = static_cast<double>(last - first + 1);
    all.push_back({(static_cast<double>(first) + static_cast<double>(last)) / 2, count});
    first = last + 1;
  }
  return all;
}

// One coordinate of the field: how fast the statistic forgets when one end of a stretch moves by a night.
double factor(double forgetting, double z) {
  return forgetting * overshoot(z * std::sqrt(2 * forgetting));
}

}  // namespace

double overshoot(double x) {
  if (x < 1e-6) return 1;
  const double below = 1 - upper_tail(x / 2);
  return 2 / x * (below - 0.5) / (x / 2 * below + density(x / 2));
}

double scan_tail(double z, std::size_t nights, std::size_t min_segment) {
  if (min_segment < 1 || nights < 2 * min_segment) return 0;
  if (!(z > 2)) return 1;
  const auto n = static_cast<double>(nights);
  const auto sizes = lengths(min_segment, nights - min_segment);
  double peaks = 0, pairs = 0;
  const bool hopeless = z > 10;  // below 1e-16 the sum over all pairs is near enough, and the rest dear
  for (const Length& left : sizes) {
    // The second stretch ends with the series: one end moves. A night that moves changes the weights of the statistic
    // by their jump there, and half the square of that jump is how fast it forgets.
    const double rest = n - left.nights;
    peaks += left.count * z * factor((1 / left.nights + 1 / rest) / 2, z);
    pairs += left.count;
    for (const Length& right : sizes) {
      if (left.nights + right.nights >= n) break;
      const double count = left.count * right.count, both = left.nights + right.nights;
      pairs += count;
      if (hopeless) continue;
      const double middle = factor((1 / left.nights + 1 / right.nights) / 2, z);
      const double end = factor(left.nights / (right.nights * both) / 2, z);
      peaks += count * z * z * z * middle * end;
    }
  }
  const double bonferroni = 2 * upper_tail(z) * pairs;
  return std::min(1.0, hopeless ? bonferroni : std::min(bonferroni, 2 * density(z) * peaks));
}

}  // namespace tbci::detect
