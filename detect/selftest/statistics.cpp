#include "detect/selftest/statistics.hpp"

#include <boost/math/distributions/beta.hpp>
#include <cmath>

#include "base/assert.hpp"
#include "detect/robust_statistics.hpp"

namespace tbci::detect::selftest {

Moments moments_of(std::span<const double> values) {
  TBCI_ASSERT(!values.empty());
  const auto n = static_cast<double>(values.size());
  Moments moments;
  for (double value : values) moments.mean += value / n;
  if (values.size() < 2) return moments;
  for (double value : values) moments.variance += (value - moments.mean) * (value - moments.mean) / (n - 1);
  return moments;
}

double t_test_p(std::span<const double> left, std::span<const double> right) {
  const auto n = static_cast<double>(left.size()), m = static_cast<double>(right.size());
  const double degrees = n + m - 2;
  if (degrees <= 0) return 1;
  const Moments one = moments_of(left), other = moments_of(right);
  const double pooled = ((n - 1) * one.variance + (m - 1) * other.variance) / degrees;
  const double difference = std::abs(one.mean - other.mean);
  if (pooled <= 0) return difference > 0 ? 0 : 1;
  return 2 * student_t_upper_tail(difference / std::sqrt(pooled * (1 / n + 1 / m)), degrees);
}

Proportion clopper_pearson(std::int64_t count, std::int64_t trials, double confidence) {
  TBCI_ASSERT(count >= 0 && count <= trials);
  Proportion interval;
  if (trials == 0) return interval;
  const double tail = (1 - confidence) / 2;
  const auto x = static_cast<double>(count), n = static_cast<double>(trials);
  if (count > 0) interval.low = boost::math::quantile(boost::math::beta_distribution<>(x, n - x + 1), tail);
  if (count < trials) {
    interval.high =
        boost::math::quantile(boost::math::complement(boost::math::beta_distribution<>(x + 1, n - x), tail));
  }
  return interval;
}

}  // namespace tbci::detect::selftest
