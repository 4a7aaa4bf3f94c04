#include "detect/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "detect/effect.hpp"
#include "detect/paired_screen.hpp"
#include "detect/robust_statistics.hpp"
#include "detect/screen.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

double measure_of(model::Metric metric, double value) {
  return is_leak(metric) ? value : std::log(value);
}

// Why a baseline says nothing; empty where it does.
std::string unusable(const model::Series& series, const std::optional<Baseline>& baseline,
                     const Thresholds& thresholds) {
  if (!baseline) return "its history is too short for a baseline";
  // Nights that differ by half of what is looked for hide it, or raise a suspicion every night.
  if (baseline->scale > least_effect(series.metric, thresholds) / 2)
    return fmt::format("the {} nights of its history differ too much", baseline->nights);
  return {};
}

model::Finding inconclusive(const model::Series& series, std::string reason) {
  model::Finding finding;
  finding.series = series;
  finding.verdict = model::Verdict::inconclusive;
  finding.reason = std::move(reason);
  return finding;
}

/// The median of a night; nothing where no value can be true.
std::optional<double> night_level(model::Metric metric, std::span<const double> values) {
  std::vector<double> usable;
  usable.reserve(values.size());
  for (double value : values) {
    if (is_usable(metric, value)) usable.push_back(value);
  }
  if (usable.empty()) return std::nullopt;
  return measure_of(metric, model::median(std::move(usable)));
}

}  // namespace

std::optional<Baseline> baseline_of(model::Metric metric, std::span<const NightValues> history,
                                    const BaselineSettings& settings) {
  const auto window = static_cast<std::size_t>(std::max(settings.window, 1));
  std::vector<double> levels;
  std::vector<int> nights;  // the newest first, as the levels
  for (std::size_t i = history.size(); i-- > 0 && levels.size() < window;) {
    if (const auto level = night_level(metric, history[i].values)) {
      levels.push_back(*level);
      nights.push_back(history[i].night);
    }
    if (history[i].restarts) break;
  }
  if (levels.empty() || static_cast<int>(levels.size()) < settings.least_nights) return std::nullopt;
  Baseline baseline;
  baseline.level = model::median(levels);
  baseline.scale = scaled_mad(levels);
  baseline.nights = static_cast<int>(levels.size());
  const auto lag = static_cast<std::size_t>(std::max(settings.reference_lag, 1));
  baseline.reference_night = nights[std::min(lag, nights.size()) - 1];
  return baseline;
}

bool is_clearly_usual(const model::Series& series, const std::optional<Baseline>& baseline,
                      std::span<const double> tonight, const Thresholds& thresholds) {
  if (!baseline || is_leak(series.metric)) return false;
  if (baseline->scale > least_effect(series.metric, thresholds) / 2) return false;
  std::vector<double> effects;
  for (const double value : tonight) {
    if (!is_usable(series.metric, value)) return false;
    effects.push_back(std::log(value) - baseline->level);
  }
  return clearly_unchanged(effects, thresholds);
}

model::Finding screen_against(const model::Series& series, const std::optional<Baseline>& baseline,
                              std::span<const double> tonight, const Thresholds& thresholds) {
  if (is_leak(series.metric)) {
    std::vector<Growth> growths;
    for (const double value : tonight) growths.push_back({value});
    return screen_against(series, baseline, growths, thresholds);
  }
  std::string reason = unusable(series, baseline, thresholds);
  if (!reason.empty()) return inconclusive(series, std::move(reason));
  const double usual = std::exp(baseline->level);
  model::Finding finding = screen(series, {&usual, 1}, tonight, thresholds);
  if (finding.verdict == model::Verdict::inconclusive) return finding;
  finding.reason =
      fmt::format("{} became {} (medians of {} nights and of {} processes)", readable(series.metric, finding.before),
                  readable(series.metric, finding.after), baseline->nights, tonight.size());
  return finding;
}

model::Finding screen_against(const model::Series& series, const std::optional<Baseline>& baseline,
                              std::span<const Growth> tonight, const Thresholds& thresholds) {
  std::string reason = unusable(series, baseline, thresholds);
  if (!reason.empty()) return inconclusive(series, std::move(reason));
  const Growth usual{baseline->level,
                     model::Interval{baseline->level - baseline->scale, baseline->level + baseline->scale}};
  model::Finding finding = screen_leak(series, {&usual, 1}, tonight, thresholds);
  if (finding.verdict == model::Verdict::inconclusive) return finding;
  finding.reason = fmt::format("{} became {} (what is certain of {} nights, median of {} processes)",
                               readable(series.metric, finding.before), readable(series.metric, finding.after),
                               baseline->nights, tonight.size());
  return finding;
}

std::optional<double> machine_move(const model::Series& series, const std::optional<Baseline>& baseline,
                                   std::span<const double> own_night, std::span<const double> tonight,
                                   const Thresholds& thresholds) {
  if (is_leak(series.metric)) return std::nullopt;
  const model::Finding from_usual = screen_against(series, baseline, tonight, thresholds);
  if (from_usual.verdict != model::Verdict::suspect) return std::nullopt;
  if (own_night.empty()) return std::nullopt;
  // Few processes scatter, and one may be far off: the value that speaks most for the build counts.
  const auto [least, largest] = std::ranges::minmax(own_night);
  const double nearest = from_usual.change > 0 ? largest : least;
  const model::Finding from_own = screen(series, {&nearest, 1}, tonight, thresholds);
  if (from_own.verdict != model::Verdict::suspect) return std::nullopt;
  const bool mostly = std::log1p(from_own.change) / std::log1p(from_usual.change) > 0.5;
  return mostly ? std::optional(from_own.change) : std::nullopt;
}

}  // namespace tbci::detect
