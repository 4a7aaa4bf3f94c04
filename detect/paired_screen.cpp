#include "detect/paired_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "detect/leak.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using model::Verdict;

PairedScreen leak_by_pairs(const model::Series& series, std::span<const Pair> pairs, const Thresholds& thresholds) {
  std::vector<Growth> before, after;
  for (const Pair& pair : pairs) {
    before.push_back({pair.before, pair.before_interval});
    after.push_back({pair.after, pair.after_interval});
  }
  return {screen_leak(series, before, after, thresholds), !pairs.empty()};
}

// The memory floor is loosened as the threshold is, so that jitter hides nothing from the confirmation.
bool passes_floor(model::Metric metric, std::span<const Pair> pairs, const Thresholds& thresholds) {
  if (!is_memory(metric)) return true;
  std::vector<double> differences;
  for (const Pair& pair : pairs) differences.push_back(pair.after - pair.before);
  const double looser = thresholds.screen / thresholds.relative;
  return std::abs(model::median(std::move(differences))) > looser * thresholds.memory_floor_bytes;
}

bool is_on_one_side(const MedianInterval& interval, double threshold) {
  const bool inside = interval.low > -threshold && interval.high < threshold;
  return inside || interval.low > threshold || interval.high < -threshold;
}

bool is_decided(std::span<const double> effects, const Thresholds& thresholds, const Sampling& sampling) {
  const auto count = static_cast<int>(effects.size());
  if (count >= sampling.most || clearly_unchanged(effects, thresholds)) return true;
  if (count < sampling.least) return false;
  const auto interval = median_interval(effects, sampling.confidence);
  return interval && is_on_one_side(*interval, std::log1p(thresholds.screen));
}

}  // namespace

bool clearly_unchanged(std::span<const double> effects, const Thresholds& thresholds) {
  if (static_cast<int>(effects.size()) < thresholds.early_pairs) return false;
  const double limit = thresholds.early_share * std::log1p(thresholds.relative);
  return std::ranges::all_of(effects, [&](double effect) { return std::abs(effect) <= limit; });
}

PairedScreen screen_pairs(const model::Series& series, std::span<const Pair> pairs, const Thresholds& thresholds,
                          const Sampling& sampling) {
  if (is_leak(series.metric)) return leak_by_pairs(series, pairs, thresholds);
  PairedScreen screen;
  model::Finding& finding = screen.finding;
  finding.series = series;
  finding.verdict = Verdict::inconclusive;
  if (pairs.empty()) {
    finding.reason = "no pair has a value";
    return screen;
  }
  std::vector<double> before, after, effects;
  for (const Pair& pair : pairs) {
    const auto value = effect(series.metric, pair);
    if (!value) {
      finding.reason = fmt::format("a pair has impossible values: {} and {}", pair.before, pair.after);
      return screen;
    }
    before.push_back(pair.before);
    after.push_back(pair.after);
    effects.push_back(*value);
  }
  const double location = model::median(effects);
  finding.before = model::median(std::move(before));
  finding.after = model::median(std::move(after));
  finding.change = finding.low = finding.high = as_change(series.metric, location, finding.before);
  finding.reason = fmt::format("{} became {} in {} pairs", model::readable(series.metric, finding.before),
                               model::readable(series.metric, finding.after), pairs.size());
  const bool secondary = model::is_secondary(series.metric);
  const bool suspect = !secondary && std::abs(location) > std::log1p(thresholds.screen) &&
                       passes_floor(series.metric, pairs, thresholds);
  finding.verdict = suspect ? Verdict::suspect : Verdict::clear;
  screen.decided = secondary || is_decided(effects, thresholds, sampling);
  return screen;
}

}  // namespace tbci::detect
