#include "detect/boundary_test.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

namespace tbci::detect {

namespace {

constexpr double least_deviation = 1e-9;   // of logarithms: rounding is not noise, nor are equal values certainty
constexpr std::size_t enough_nights = 40;  // for telling wild nights from others: fewer know too little of their core
constexpr double prior_nights = 10;        // how many nights the whole series stands for where noise is local
constexpr std::size_t near_nights = 30;    // on each side of a boundary: how far its own noise reaches
// Nights of a level that may have gathered: of more, the mean is as good as Gaussian, whatever the nights are.
constexpr std::size_t longest_gathering = 100;

// Probability of at least `least` of `count` tosses that succeed with probability `share`.
double binomial_tail(std::size_t count, std::size_t least, double share) {
  if (least == 0 || share >= 1) return 1;
  return boost::math::ibeta(static_cast<double>(least), static_cast<double>(count - least + 1), share);
}

}  // namespace

double gaussian_of_student(double t, double degrees) {
  return (8 * degrees + 1) / (8 * degrees + 3) * std::sqrt(degrees * std::log1p(t * t / degrees));
}

BoundaryTest::BoundaryTest(std::span<const double> values, const Stretches& stretches,
                           std::span<const std::size_t> boundaries, double correlation)
    : stretches_(stretches), values_(values), residuals_(values.size()) {
  const std::size_t n = values.size(), levels = boundaries.size() + 1;
  std::vector<double> calm(n);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t first = k == 0 ? 0 : boundaries[k - 1], end = k + 1 == levels ? n : boundaries[k];
    const double level = stretches.mean(first, end);
    for (std::size_t i = first; i < end; ++i) {
      residuals_[i] = values[i] - level;
      calm[i] = stretches.mean(i, i + 1) - level;
    }
  }
  const double r = correlation;
  noise_.correlation = r;
  const ResidualScale scale = scale_of_residuals(residuals_, levels);
  noise_.deviation = scale.deviation;
  if (n >= enough_nights) {
    noise_.deviation = std::min(noise_.deviation, deviation_beside_spikes(residuals_, calm, scale.core, levels));
  }
  noise_.deviation = std::max(least_deviation, noise_.deviation);
  core_ = std::max(least_deviation, scale.core);
  middle_ = scale.middle;
  noise_.degrees = std::max(1.0, static_cast<double>(n - std::min(n, levels)) * (1 - r * r) / (1 + r * r));

  squares_.reserve(n + 1);
  squares_.push_back(0);
  const double reach = 3 * noise_.deviation;
  for (double residual : residuals_) {
    squares_.push_back(squares_.back() + std::pow(std::min(std::abs(residual), reach), 2));
  }
}

double BoundaryTest::deviations(std::size_t first, std::size_t middle, std::size_t end) const {
  const std::size_t reach = std::max(near_nights, std::min(middle - first, end - middle));
  const std::size_t from = middle - std::min(middle, reach), to = std::min(values_.size(), middle + reach);
  const double wide = noise_.deviation * noise_.deviation;
  const double near =
      (squares_[to] - squares_[from] + prior_nights * wide) / (static_cast<double>(to - from) + prior_nights);
  const auto left = static_cast<double>(middle - first), right = static_cast<double>(end - middle);
  const double error = std::sqrt(std::max(near, wide) * noise_.variance_of_step(left, right));
  const double step = stretches_.mean(middle, end) - stretches_.mean(first, middle);
  return gaussian_of_student(std::abs(step) / error, noise_.degrees);
}

double BoundaryTest::gathering(std::size_t first, std::size_t middle, std::size_t end) {
  const bool right_shorter = end - middle < middle - first;
  const std::size_t from = right_shorter ? middle : first, to = right_shorter ? end : middle;
  if (to - from > longest_gathering) return 0;
  const double level = right_shorter ? stretches_.mean(first, middle) : stretches_.mean(middle, end);
  const double up = stretches_.mean(from, to) < level ? -1 : 1;
  std::vector<double> distances;
  for (std::size_t i = from; i < to; ++i) distances.push_back(up * (values_[i] - level));
  std::sort(distances.begin(), distances.end());
  const std::size_t length = to - from;
  const double half_way = up * (stretches_.mean(from, to) - level) / 2;
  const auto others = static_cast<double>(values_.size() - length);
  double least = 1;
  bool wild = false;
  // How far off most of them are, whatever the rest does.
  if (sorted_.empty()) {
    sorted_ = residuals_;
    std::sort(sorted_.begin(), sorted_.end());
  }
  for (const double distance : {half_way, distances[0], distances[length / 4], distances[length / 2]}) {
    const auto inside = distances.end() - std::lower_bound(distances.begin(), distances.end(), distance);
    const auto beyond = up > 0 ? sorted_.end() - std::lower_bound(sorted_.begin(), sorted_.end(), distance)
                               : std::upper_bound(sorted_.begin(), sorted_.end(), -distance) - sorted_.begin();
    const auto own = std::count_if(residuals_.begin() + static_cast<std::ptrdiff_t>(from),
                                   residuals_.begin() + static_cast<std::ptrdiff_t>(to),
                                   [&](double residual) { return up * residual >= distance; });
    const auto seen = static_cast<double>(beyond - own);
    wild = wild || has_wild(distance, up, seen, others);
    // An upper bound of their number, from how many were seen. A stretch of each length up to this one had its chance
    // everywhere.
    const double share = std::min(1.0, (seen + 1 + 2 * std::sqrt(seen)) / others);
    const double tail = binomial_tail(length, static_cast<std::size_t>(inside), share);
    least = std::min(least, others * static_cast<double>(length) * tail);
  }
  return wild ? least : 0;
}

bool BoundaryTest::has_wild(double distance, double up, double seen, double others) const {
  const double gaussian = std::erfc((distance - up * middle_) / core_ / std::numbers::sqrt2) / 2 * others;
  return seen > gaussian + 3 * std::sqrt(gaussian);
}

}  // namespace tbci::detect
