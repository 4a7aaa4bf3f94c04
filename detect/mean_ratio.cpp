#include "detect/mean_ratio.hpp"

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

double geometric_mean(std::span<const double> ratios) {
  TBCI_ASSERT(!ratios.empty());
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

}  // namespace tbci::detect
