#include "detect/mean_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "detect/robust_statistics.hpp"

namespace tbci::detect {

namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr double one_tail = 0.025;

}  // namespace

std::optional<MeanRatio> mean_ratio(std::span<const Pair> pairs) {
  if (pairs.size() < 2) return std::nullopt;
  std::vector<double> logarithms;
  for (const Pair& pair : pairs) {
    TBCI_ASSERT(pair.before > 0 && pair.after > 0);
    logarithms.push_back(std::log(pair.after / pair.before));
  }
  const double middle = mean(logarithms), n = static_cast<double>(logarithms.size());
  double squares = 0;
  for (const double value : logarithms) squares += (value - middle) * (value - middle);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double reach = student_t_upper_quantile(one_tail, n - 1) * error;
  return MeanRatio{.ratio = std::exp(middle),
                   .low = std::exp(middle - reach),
                   .high = std::exp(middle + reach),
                   .pairs = pairs.size()};
}

namespace {

// Of the logarithms of a group.
struct LogMean {
  double middle = 0;
  double squared_error = 0;
  double degrees = 0;
};

LogMean log_mean(std::span<const double> values) {
  std::vector<double> logarithms;
  for (const double value : values) {
    TBCI_ASSERT(value > 0);
    logarithms.push_back(std::log(value));
  }
  const double middle = mean(logarithms), n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : logarithms) squares += (value - middle) * (value - middle);
  return {middle, squares / (n - 1) / n, n - 1};
}

}  // namespace

std::optional<MeanRatio> ratio_of_groups(std::span<const double> before, std::span<const double> after) {
  if (before.size() < 2 || after.size() < 2) return std::nullopt;
  const LogMean one = log_mean(before), other = log_mean(after);
  const double squared = one.squared_error + other.squared_error, middle = other.middle - one.middle;
  double reach = 0;
  if (squared > 0) {  // the degrees of freedom of Welch and Satterthwaite
    const double degrees = squared * squared /
                           (one.squared_error * one.squared_error / one.degrees +
                            other.squared_error * other.squared_error / other.degrees);
    reach = student_t_upper_quantile(one_tail, degrees) * std::sqrt(squared);
  }
  return MeanRatio{.ratio = std::exp(middle),
                   .low = std::exp(middle - reach),
                   .high = std::exp(middle + reach),
                   .pairs = std::min(before.size(), after.size())};
}

AgainstThreshold against(double threshold, const MeanRatio& ratio) {
  if (ratio.low > 1 + threshold) return AgainstThreshold::above;
  return ratio.high < 1 + threshold ? AgainstThreshold::below : AgainstThreshold::undecided;
}

double geometric_mean(std::span<const double> ratios) {
  TBCI_ASSERT(!ratios.empty());
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

}  // namespace tbci::detect
