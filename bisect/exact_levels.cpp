#include "bisect/exact_levels.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "detect/effect.hpp"

namespace tbci::bisect {
namespace {

/// The value of the last decimal digit that is not 0: 0.1 for 12.3, 100 for 4500. Of 12 digits, so that 1 / (1 / 12.3)
/// is 12.3.
double last_digit_of(double value) {
  const std::string text = fmt::format("{:.11e}", std::abs(value));  // 1.23000000000e+01
  const std::size_t exponent = text.find('e');
  const std::size_t last = text.find_last_not_of("0.", exponent - 1);
  if (last == std::string::npos) return 0;  // of 0 all digits are known
  const int decimals = last == 0 ? 0 : static_cast<int>(last) - 1;
  return std::pow(10.0, std::atoi(text.c_str() + exponent + 1) - decimals);
}

}  // namespace

bool shows_noise(model::Metric metric, double value, double noise_floor) {
  if (detect::is_leak(metric)) return last_digit_of(value) <= noise_floor;
  // A throughput is searched as 1 / x.
  return last_digit_of(value) / value <= noise_floor && last_digit_of(1 / value) * value <= noise_floor;
}

Posterior exact_posterior(const LevelData& data, double least_step, double noise_floor) {
  const std::size_t count = data.classes.size();
  TBCI_ASSERT(count >= 2 && least_step > 0);
  std::vector<double> values;
  for (const Readings& readings : data.classes) {
    TBCI_ASSERT(!readings.values.empty() && readings.values.front() == readings.values.back());
    values.push_back(readings.values.front());
  }
  Posterior posterior;
  posterior.noise = noise_floor;
  posterior.like_good_end.assign(count, 1);
  posterior.like_bad_end.assign(count, 1);
  int steps = 0;
  for (std::size_t j = 0; j + 1 < count; ++j) {
    const bool is_step = std::abs(values[j + 1] - values[j]) >= least_step;
    steps += is_step ? 1 : 0;
    posterior.step_after.push_back(is_step ? 1 : 0);
    posterior.like_good_end[j + 1] = steps == 0 ? 1 : 0;
  }
  for (std::size_t j = count - 1; j-- > 0;)
    posterior.like_bad_end[j] = posterior.step_after[j] > 0 ? 0 : posterior.like_bad_end[j + 1];
  for (const double value : values) posterior.levels.push_back({.mean = value, .low = value, .high = value});
  posterior.none = steps == 0 ? 1 : 0;
  posterior.one = steps == 1 ? 1 : 0;
  posterior.several = steps > 1 ? 1 : 0;
  return posterior;
}

}  // namespace tbci::bisect
