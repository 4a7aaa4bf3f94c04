#include "detect/series_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.hpp"

namespace tbci::detect {

namespace {

constexpr double gaussian = 1.4826;  // deviation of Gaussian values over their median absolute deviation
constexpr double wild_share = 0.04;
constexpr double far_beyond = 1.5;
constexpr double wild_reach = 3;
constexpr double beside_each_other = 3;
constexpr double step_reach = 2;  // of differences: levels that come and go are not to look like correlation
constexpr double nothing_known = 18, well_known = 40;  // nights: of their correlation
constexpr int widest_segment = 25;  // running medians do not grow further: nothing that lasts so long is a spike

// The k-th smallest absolute value, from 0.
double absolute_order(std::vector<double> values, std::size_t k) {
  for (double& value : values) value = std::abs(value);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
  return values[k];
}

// Over `nights` nights, where no level begins in between.
std::vector<double> differences(std::span<const double> values, std::size_t nights,
                                std::span<const std::size_t> boundaries = {}) {
  std::vector<double> result;
  result.reserve(values.size());
  auto next = boundaries.begin();
  for (std::size_t i = nights; i < values.size(); ++i) {
    while (next != boundaries.end() && *next <= i - nights) ++next;
    if (next == boundaries.end() || *next > i) result.push_back(values[i] - values[i - nights]);
  }
  return result;
}

double root_mean_square(std::span<const double> values) {
  double squares = 0;
  for (double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double clipped_mean_square(std::span<const double> values, double reach) {
  double squares = 0;
  for (double value : values) squares += std::pow(std::min(std::abs(value), reach), 2);
  return squares / static_cast<double>(values.size());
}

}  // namespace

double SeriesNoise::variance_of_step(double left, double right) const {
  const double r = correlation, lost = 1 - r;
  if (r <= 0) return 1 / left + 1 / right;
  // Sums of r^|i - j| within a stretch, and between the two.
  const auto own = [&](double n) { return long_run() / n - 2 * r * (1 - std::pow(r, n)) / (n * n * lost * lost); };
  const double shared = r * (1 - std::pow(r, left)) * (1 - std::pow(r, right)) / (left * right * lost * lost);
  return own(left) + own(right) - 2 * shared;
}

std::vector<double> without_spikes(std::span<const double> values, int min_segment, double reach) {
  std::vector<double> result(values.begin(), values.end());
  const auto reaching = static_cast<std::size_t>(std::clamp(min_segment, 1, widest_segment)) - 1;
  const std::size_t width = 2 * reaching + 1;
  if (reaching == 0 || values.size() < width) return result;

  std::vector<double> window(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
  std::sort(window.begin(), window.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > reaching && i + reaching < values.size()) {
      // The window moves on by a night: one value leaves, one comes, the order stays.
      const double leaves = values[i - reaching - 1], comes = values[i + reaching];
      auto place = std::lower_bound(window.begin(), window.end(), leaves);
      for (; place + 1 != window.end() && *(place + 1) < comes; ++place) *place = *(place + 1);
      for (; place != window.begin() && *(place - 1) > comes; --place) *place = *(place - 1);
      *place = comes;
    }
    const double middle = window[reaching];
    const bool spike = std::abs(values[i] - middle) > far_beyond * reach;
    result[i] = spike ? middle : std::clamp(values[i], middle - reach, middle + reach);
  }
  return result;
}

double deviation_of_differences(std::span<const double> values) {
  TBCI_ASSERT(values.size() >= 2);
  const auto steps = differences(values, 1);
  const double middle = absolute_order(steps, steps.size() / 2);
  return (middle > 0 ? gaussian * middle : root_mean_square(steps)) / std::numbers::sqrt2;
}

double correlation_of_differences(std::span<const double> values, std::span<const std::size_t> boundaries) {
  const auto one = differences(values, 1, boundaries), two = differences(values, 2, boundaries);
  if (two.empty()) return 0;
  const double scale_one = gaussian * absolute_order(one, one.size() / 2);
  const double scale_two = gaussian * absolute_order(two, two.size() / 2);
  if (scale_one <= 0 || scale_two <= 0) return 0;
  const double ratio =
      clipped_mean_square(two, step_reach * scale_two) / clipped_mean_square(one, step_reach * scale_one);
  const auto count = static_cast<double>(values.size());
  const double believed = std::clamp((count - nothing_known) / (well_known - nothing_known), 0.0, 1.0);
  // Few nights know it badly, and it is worse to take too little for it.
  return believed * std::clamp((ratio - 1) * (1 + 5 / count), 0.0, 0.95);
}

ResidualScale scale_of_residuals(std::span<const double> residuals, std::size_t fitted) {
  TBCI_ASSERT(!residuals.empty());
  std::vector<double> all(residuals.begin(), residuals.end());
  const std::size_t n = all.size();
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  // Nights that are all slow in one direction pull the means with them, and the calm half lies aside.
  std::nth_element(all.begin(), at(n / 2), all.end());
  ResidualScale scale;
  scale.middle = *at(n / 2);
  for (double& residual : all) residual = std::abs(residual - scale.middle);
  const auto spikes = std::max<std::size_t>(1, static_cast<std::size_t>(wild_share * static_cast<double>(n)));
  const auto middle = at(n / 2), wildest_kept = at(std::max(n / 2, n - 1 - std::min(spikes, n - 1)));
  std::nth_element(all.begin(), middle, all.end());
  scale.core = gaussian * *middle;
  std::nth_element(middle, wildest_kept, all.end());
  const double reach = std::max(wild_reach * scale.core, *wildest_kept);
  const double squares = clipped_mean_square(residuals, reach) * static_cast<double>(n);
  scale.deviation = std::sqrt(squares / static_cast<double>(n - std::min(fitted, n - 1)));
  return scale;
}

double deviation_beside_spikes(std::span<const double> residuals, std::span<const double> calm, double core,
                               std::size_t fitted) {
  TBCI_ASSERT(!residuals.empty() && residuals.size() == calm.size());
  const double reach = wild_reach * core;
  double squares = 0;
  for (std::size_t i = 0; i < calm.size(); ++i) {
    const bool stays = std::abs(calm[i]) > reach;
    squares += stays ? beside_each_other * calm[i] * calm[i] : std::pow(std::min(std::abs(residuals[i]), reach), 2);
  }
  return std::sqrt(squares / static_cast<double>(calm.size() - std::min(fitted, calm.size() - 1)));
}

}  // namespace tbci::detect
