#include "detect/scan_tail.hpp"

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
    const std::size_t last = std::min(longest, first + (first - shortest) / 3);
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

// Both stretches inside the series (three ends move), one of them at its end (two move), or both (one moves). A night
// that moves changes the statistic's weights by their jump there; forgetting is half its square.
double expected_peaks(double z, double nights, double left, double right) {
  const double middle = factor((1 / left + 1 / right) / 2, z);
  const double outer_left = factor(right / (left * (left + right)) / 2, z);
  const double outer_right = factor(left / (right * (left + right)) / 2, z);
  const double places = std::max(0.0, nights - left - right);
  return middle * z * (places * outer_left * outer_right * std::pow(z, 4) + (outer_left + outer_right) * z * z);
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
  for (const Length& left : sizes) {
    for (const Length& right : sizes) {
      if (left.nights + right.nights > n) break;
      const double count = left.count * right.count;
      peaks += count * expected_peaks(z, n, left.nights, right.nights);
      pairs += count * (n - left.nights - right.nights + 1);
    }
  }
  // Both stretches reach the ends: only the place between them moves.
  for (const Length& left : sizes) {
    peaks += left.count * z * factor((1 / left.nights + 1 / (n - left.nights)) / 2, z);
  }
  return std::min({1.0, 2 * density(z) * peaks, 2 * upper_tail(z) * pairs});
}

}  // namespace tbci::detect
