#include "detect/secondary_metrics.hpp"

#include <vector>

#include "detect/robust_statistics.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

constexpr double trimmed_part = 0.2;  // as in confirm

}  // namespace

model::Finding compare_secondary(const model::Series& series, std::span<const Pair> pairs,
                                 const Thresholds& thresholds) {
  std::vector<double> before, after, effects;
  for (const Pair& pair : pairs) {
    const auto value = effect(series.metric, pair);
    if (!value) continue;
    before.push_back(pair.before);
    after.push_back(pair.after);
    effects.push_back(*value);
  }
  model::Finding finding;
  finding.series = series;
  finding.verdict = model::Verdict::clear;
  finding.pairs = static_cast<int>(effects.size());
  finding.reason = effects.empty() ? "no pair counted it" : "shown beside the time: not judged by itself";
  if (effects.empty()) return finding;
  finding.before = model::median(std::move(before));
  finding.after = model::median(std::move(after));
  const Estimate estimate = trimmed_mean(effects, trimmed_part, effect_scale_floor(series.metric, thresholds));
  const auto change = [&](double value) { return as_change(series.metric, value, finding.before); };
  finding.change = change(estimate.location);
  finding.low = change(lower_bound(estimate, thresholds.clear_alpha));
  finding.high = change(upper_bound(estimate, thresholds.clear_alpha));
  return finding;
}

}  // namespace tbci::detect
