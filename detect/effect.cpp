#include "detect/effect.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::detect {

bool is_leak(model::Metric metric) {
  return metric == model::Metric::cpu_leak || metric == model::Metric::gpu_leak;
}

bool is_memory(model::Metric metric) {
  return metric == model::Metric::cpu_memory || metric == model::Metric::gpu_memory ||
         metric == model::Metric::gpu_reserved;
}

bool is_usable(model::Metric metric, double value) {
  return std::isfinite(value) && (is_leak(metric) || value > 0);
}

Pair with_rise(model::Metric metric, Pair pair, double rise) {
  if (rise == 0) return pair;
  const auto raised = [&](double value) { return is_leak(metric) ? value + rise : value * std::exp(rise); };
  pair.before = raised(pair.before);
  if (pair.before_interval)
    pair.before_interval = {raised(pair.before_interval->low), raised(pair.before_interval->high)};
  return pair;
}

std::optional<double> effect(model::Metric metric, const Pair& pair) {
  if (!is_usable(metric, pair.before) || !is_usable(metric, pair.after)) return std::nullopt;
  // Of the logarithms, not of the ratio: the ratio of two extreme values can overflow.
  const double value = is_leak(metric) ? pair.after - pair.before : std::log(pair.after) - std::log(pair.before);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> effect_in_turn(std::span<const std::int64_t> before, std::span<const std::int64_t> after) {
  if (before.empty() || before.size() != after.size()) return std::nullopt;
  std::vector<double> effects;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] <= 0 || after[i] <= 0) return std::nullopt;
    effects.push_back(std::log(static_cast<double>(after[i])) - std::log(static_cast<double>(before[i])));
  }
  return model::median(std::move(effects));
}

double effect_of(const model::Finding& finding) {
  return is_leak(finding.series.metric) ? finding.after - finding.before : std::log1p(finding.change);
}

double least_effect(model::Metric metric, const Thresholds& thresholds) {
  return is_leak(metric) ? thresholds.leak_floor_bytes : std::log1p(thresholds.relative);
}

double effect_scale_floor(model::Metric metric, const Thresholds& thresholds) {
  constexpr double relative_floor = 1e-3;
  constexpr double leak_share = 1.0 / 64;
  return is_leak(metric) ? leak_share * thresholds.leak_floor_bytes : relative_floor;
}

double as_change(model::Metric metric, double effect, double before) {
  if (!is_leak(metric)) return std::expm1(effect);
  if (effect == 0) return 0;
  if (before <= 0) return std::copysign(std::numeric_limits<double>::infinity(), effect);
  return effect / before;
}

}  // namespace tbci::detect
