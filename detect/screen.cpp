#include "detect/screen.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "detect/effect.hpp"
#include "detect/leak.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {
namespace {

std::optional<std::string> unusable(model::Metric metric, std::span<const double> values, std::string_view build) {
  if (values.empty()) return fmt::format("the {} build has no value", build);
  for (double value : values) {
    if (!is_usable(metric, value)) return fmt::format("the {} build has a value that can't be true: {}", build, value);
  }
  return std::nullopt;
}

bool is_suspect(model::Metric metric, const Pair& medians, double difference, const Thresholds& thresholds) {
  if (model::is_secondary(metric)) return false;
  const double apart = std::abs(medians.after - medians.before);
  if (std::abs(difference) <= std::log1p(thresholds.screen)) return false;
  // The floor is loosened as the threshold is, so that jitter hides nothing from the confirmation.
  const double looser = thresholds.screen / thresholds.relative;
  return !is_memory(metric) || apart > looser * thresholds.memory_floor_bytes;
}

std::vector<Growth> without_intervals(std::span<const double> values) {
  std::vector<Growth> growths;
  for (const double value : values) growths.push_back({value});
  return growths;
}

}  // namespace

model::Finding screen(const model::Series& series, std::span<const double> before, std::span<const double> after,
                      const Thresholds& thresholds) {
  if (is_leak(series.metric))
    return screen_leak(series, without_intervals(before), without_intervals(after), thresholds);
  model::Finding finding;
  finding.series = series;
  finding.verdict = model::Verdict::inconclusive;
  for (auto reason : {unusable(series.metric, before, "old"), unusable(series.metric, after, "new")}) {
    if (!reason) continue;
    finding.reason = *reason;
    return finding;
  }
  const Pair medians{model::median({before.begin(), before.end()}), model::median({after.begin(), after.end()})};
  finding.before = medians.before;
  finding.after = medians.after;
  const auto difference = effect(series.metric, medians);
  if (!difference) {
    finding.reason = "the two builds are too far apart to be compared";
    return finding;
  }
  finding.change = finding.low = finding.high = as_change(series.metric, *difference, medians.before);
  const bool suspect = is_suspect(series.metric, medians, *difference, thresholds);
  finding.verdict = suspect ? model::Verdict::suspect : model::Verdict::clear;
  finding.reason =
      fmt::format("{} became {} (medians of {} and {} processes)", model::readable(series.metric, medians.before),
                  model::readable(series.metric, medians.after), before.size(), after.size());
  return finding;
}

}  // namespace tbci::detect
