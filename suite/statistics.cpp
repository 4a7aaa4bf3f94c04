#include "suite/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tbci::suite {
namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
}

// The variance of Kendall's S without a trend. Equal values carry less information: each group of k is subtracted.
double variance_of_kendall(std::vector<double> values) {
  const auto term = [](std::size_t count) {
    const auto k = static_cast<double>(count);
    return k * (k - 1.0) * (2.0 * k + 5.0);
  };
  double sum = term(values.size());
  std::sort(values.begin(), values.end());
  for (auto first = values.begin(); first != values.end();) {
    const auto last = std::upper_bound(first, values.end(), *first);
    sum -= term(static_cast<std::size_t>(last - first));
    first = last;
  }
  return sum / 18.0;
}

SlopeInterval sen_interval(const std::vector<double>& sorted_slopes, const std::vector<double>& values) {
  constexpr double quantile = 2.5758293035489004;  // of the Gaussian at 0.995
  const auto count = static_cast<double>(sorted_slopes.size());
  const double width = quantile * std::sqrt(variance_of_kendall(values));
  const double last = count - 1.0;
  const double low = std::min(std::max(std::nearbyint((count - width) / 2.0) - 1.0, 0.0), last);
  const double high = std::max(std::min(std::nearbyint((count + width) / 2.0), last), 0.0);
  return {sorted_slopes[static_cast<std::size_t>(low)], sorted_slopes[static_cast<std::size_t>(high)]};
}

}  // namespace

Slope theil_sen(const std::vector<double>& values) {
  // All pairs of a long series would need too much memory; every n-th value gives the same slope.
  constexpr std::size_t most = 1000;
  const std::size_t stride = (values.size() + most - 1) / most;
  std::vector<double> slopes;
  std::vector<double> used;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    used.push_back(values[i]);
    for (std::size_t j = i + stride; j < values.size(); j += stride) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  if (slopes.empty()) return {};
  std::sort(slopes.begin(), slopes.end());
  Slope slope;
  slope.value = median_of_sorted(slopes);
  if (used.size() >= static_cast<std::size_t>(fewest_for_interval)) slope.interval = sen_interval(slopes, used);
  return slope;
}

}  // namespace tbci::suite
