#include "detect/robust_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

double scaled_mad(std::span<const double> values) {
  const double middle = model::median({values.begin(), values.end()});
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double value : values) deviations.push_back(std::abs(value - middle));
  return 1.4826 * model::median(std::move(deviations));
}

Estimate trimmed_mean(std::span<const double> values, double trim, double scale_floor) {
  TBCI_ASSERT(!values.empty() && trim >= 0 && trim < 0.5);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const auto cut = static_cast<std::size_t>(trim * static_cast<double>(n));
  const std::size_t left = n - 2 * cut;

  double sum = 0;
  for (std::size_t i = cut; i < n - cut; ++i) sum += sorted[i];
  Estimate estimate;
  estimate.location = sum / static_cast<double>(left);
  if (left < 2) return estimate;

  // Winsorised: what is cut takes the value of its nearest neighbour that is left.
  double winsorised_sum = 0;
  auto winsorised = [&](std::size_t i) { return sorted[std::clamp(i, cut, n - cut - 1)]; };
  for (std::size_t i = 0; i < n; ++i) winsorised_sum += winsorised(i);
  const double winsorised_mean = winsorised_sum / static_cast<double>(n);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += std::pow(winsorised(i) - winsorised_mean, 2);

  const auto h = static_cast<double>(left);
  const double variance = squares / (h * (h - 1));
  estimate.standard_error = std::max(std::sqrt(variance), scale_floor / std::sqrt(h));
  estimate.degrees = h - 1;
  return estimate;
}

double student_t_upper_tail(double t, double degrees) {
  const boost::math::students_t distribution(degrees);
  return boost::math::cdf(boost::math::complement(distribution, t));
}

double student_t_upper_quantile(double tail, double degrees) {
  const boost::math::students_t distribution(degrees);
  return boost::math::quantile(boost::math::complement(distribution, tail));
}

namespace {
double margin(const Estimate& estimate, double alpha) {
  if (estimate.degrees <= 0) return std::numeric_limits<double>::infinity();
  return student_t_upper_quantile(alpha, estimate.degrees) * estimate.standard_error;
}
}  // namespace

double lower_bound(const Estimate& estimate, double alpha) {
  return estimate.location - margin(estimate, alpha);
}

double upper_bound(const Estimate& estimate, double alpha) {
  return estimate.location + margin(estimate, alpha);
}

}  // namespace tbci::detect
