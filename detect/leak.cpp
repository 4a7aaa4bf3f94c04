#include "detect/leak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace tbci::detect {
namespace {

/// The medians of the growths and of their bounds.
Growth typical(std::span<const Growth> growths, const Thresholds& thresholds) {
  std::vector<double> bytes, low, high;
  for (const Growth& growth : growths) {
    const model::Interval bounds = bounds_of(growth, thresholds);
    bytes.push_back(growth.bytes);
    low.push_back(bounds.low);
    high.push_back(bounds.high);
  }
  return {model::median(std::move(bytes)),
          model::Interval{model::median(std::move(low)), model::median(std::move(high))}};
}

std::string unusable(model::Metric metric, std::span<const Growth> growths, std::string_view build) {
  if (growths.empty()) return fmt::format("the {} build has no value", build);
  for (const Growth& growth : growths) {
    if (!is_usable(metric, growth.bytes))
      return fmt::format("the {} build has a value that can't be true: {}", build, growth.bytes);
  }
  return {};
}

std::string text_of(const Growth& growth) {
  return fmt::format("{} ({} to {})", human_bytes(growth.bytes), human_bytes(growth.interval->low),
                     human_bytes(growth.interval->high));
}

}  // namespace

model::Interval bounds_of(const Growth& growth, const Thresholds& thresholds) {
  const double unknown = thresholds.leak_unknown_bytes;
  return growth.interval.value_or(model::Interval{growth.bytes - unknown, growth.bytes + unknown});
}

double certain_difference(const Growth& before, const Growth& after, const Thresholds& thresholds) {
  const model::Interval old_bounds = bounds_of(before, thresholds), new_bounds = bounds_of(after, thresholds);
  if (new_bounds.low > old_bounds.high) return new_bounds.low - old_bounds.high;
  if (new_bounds.high < old_bounds.low) return new_bounds.high - old_bounds.low;
  return 0;
}

double certain_growth(const Growth& growth, const Thresholds& thresholds) {
  const model::Interval bounds = bounds_of(growth, thresholds);
  if (bounds.low > 0) return bounds.low;
  return std::min(bounds.high, 0.0);
}

model::Finding screen_leak(const model::Series& series, std::span<const Growth> before, std::span<const Growth> after,
                           const Thresholds& thresholds) {
  model::Finding finding;
  finding.series = series;
  finding.verdict = model::Verdict::inconclusive;
  finding.reason = unusable(series.metric, before, "old");
  if (finding.reason.empty()) finding.reason = unusable(series.metric, after, "new");
  if (!finding.reason.empty()) return finding;
  const Growth old_growth = typical(before, thresholds), new_growth = typical(after, thresholds);
  finding.before = old_growth.bytes;
  finding.after = new_growth.bytes;
  const auto change = [&](double bytes) { return as_change(series.metric, bytes, finding.before); };
  finding.change = change(new_growth.bytes - old_growth.bytes);
  finding.low = change(new_growth.interval->low - old_growth.interval->high);
  finding.high = change(new_growth.interval->high - old_growth.interval->low);
  const double certain = certain_difference(old_growth, new_growth, thresholds);
  finding.verdict = std::abs(certain) > thresholds.leak_floor_bytes ? model::Verdict::suspect : model::Verdict::clear;
  finding.reason = fmt::format("{} became {} an iteration (medians of {} and {} processes)", text_of(old_growth),
                               text_of(new_growth), before.size(), after.size());
  return finding;
}

}  // namespace tbci::detect
