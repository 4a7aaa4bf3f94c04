#include "detect/boundary_test.hpp"

#include <algorithm>
#include <cmath>

namespace tbci::detect {

namespace {

constexpr double least_deviation = 1e-9;  // of logarithms: rounding is no noise, and equal values no certainty
constexpr double prior_degrees = 30;      // how much the whole series says of the noise of two of its levels

}  // namespace

double gaussian_of_student(double t, double degrees) {
  return (8 * degrees + 1) / (8 * degrees + 3) * std::sqrt(degrees * std::log1p(t * t / degrees));
}

BoundaryTest::BoundaryTest(std::span<const double> values, const Stretches& stretches,
                           std::span<const std::size_t> boundaries, double correlation)
    : stretches_(stretches) {
  const std::size_t n = values.size(), levels = boundaries.size() + 1;
  std::vector<double> residuals(n);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t first = k == 0 ? 0 : boundaries[k - 1], end = k + 1 == levels ? n : boundaries[k];
    const double level = stretches.mean(first, end);
    for (std::size_t i = first; i < end; ++i) residuals[i] = values[i] - level;
  }
  const double r = correlation;
  noise_.correlation = r;
  noise_.deviation = std::max(least_deviation, deviation_of_residuals(residuals, levels));
  noise_.degrees = std::max(1.0, static_cast<double>(n - levels) * (1 - r * r) / (1 + r * r));

  squares_.reserve(n + 1);
  squares_.push_back(0);
  const double reach = 3 * noise_.deviation;
  for (double residual : residuals) {
    squares_.push_back(squares_.back() + std::pow(std::min(std::abs(residual), reach), 2));
  }
}

double BoundaryTest::deviations(std::size_t first, std::size_t middle, std::size_t end) const {
  const auto left = static_cast<double>(middle - first), right = static_cast<double>(end - middle);
  const double wide = noise_.deviation * noise_.deviation;
  const double own = left + right - 2;  // degrees of freedom of the two levels themselves
  const double prior = std::min(prior_degrees, noise_.degrees);
  const double local = (squares_[end] - squares_[first] + prior * wide) / (own + prior);
  const double error = std::sqrt(std::max(local, wide) * noise_.variance_of_step(left, right));
  const double step = stretches_.mean(middle, end) - stretches_.mean(first, middle);
  return gaussian_of_student(std::abs(step) / error, noise_.degrees);
}

}  // namespace tbci::detect
