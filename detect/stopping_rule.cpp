#include "detect/stopping_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

// Probability that the median lies between the k-th smallest and the k-th largest of n values (k from 1): it does not
// where fewer than k of n tosses of a coin fall on one side.
double coverage(std::size_t n, std::size_t k) {
  double term = std::pow(0.5, static_cast<double>(n)), tail = 0;
  for (std::size_t i = 0; i < k; ++i) {
    tail += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return 1 - 2 * tail;
}

}  // namespace

double MedianInterval::relative_half_width() const {
  return median > 0 ? (high - low) / 2 / median : std::numeric_limits<double>::infinity();
}

std::optional<MedianInterval> median_interval(std::span<const double> values, double confidence) {
  TBCI_ASSERT(confidence > 0 && confidence < 1);
  const std::size_t n = values.size();
  if (n < 2 || coverage(n, 1) < confidence) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());

  // The narrowest pair of order statistics that still reaches the level, and the next one inside, which does not.
  std::size_t k = 1;
  while (2 * (k + 1) <= n && coverage(n, k + 1) >= confidence) ++k;
  MedianInterval interval{model::median(sorted), sorted[k - 1], sorted[n - k]};
  if (2 * (k + 1) > n) return interval;
  const double outside = coverage(n, k), inside = coverage(n, k + 1);
  const double share = (outside - confidence) / (outside - inside);
  const auto count = static_cast<double>(n), depth = static_cast<double>(k);
  const double inwards = (count - depth) * share / (depth + (count - 2 * depth) * share);
  interval.low += inwards * (sorted[k] - sorted[k - 1]);
  interval.high -= inwards * (sorted[n - k] - sorted[n - k - 1]);
  return interval;
}

bool wants_more(const Sampled& sampled, const Sampling& sampling) {
  if (sampled.processes < sampling.least) return true;
  if (sampled.processes >= sampling.most || sampled.values.empty()) return false;
  const auto interval = median_interval(sampled.values, sampling.confidence);
  return !interval || interval->relative_half_width() > sampling.half_width;
}

}  // namespace tbci::detect
