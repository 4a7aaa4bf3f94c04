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

double value_from(model::Metric metric, double level) {
  return is_leak(metric) ? level : std::exp(level);
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
  model::Finding finding;
  finding.series = series;
  finding.verdict = model::Verdict::inconclusive;
  if (!baseline) {
    finding.reason = "its history is too short for a baseline";
    return finding;
  }
  // Nights that differ by half of what is looked for hide it, or raise a suspicion every night.
  if (baseline->scale > least_effect(series.metric, thresholds) / 2) {
    finding.reason = fmt::format("the {} nights of its history differ too much", baseline->nights);
    return finding;
  }
  const double usual = value_from(series.metric, baseline->level);
  finding = screen(series, {&usual, 1}, tonight, thresholds);
  if (finding.verdict == model::Verdict::inconclusive) return finding;
  finding.reason =
      fmt::format("{} became {} (medians of {} nights and of {} processes)", readable(series.metric, finding.before),
                  readable(series.metric, finding.after), baseline->nights, tonight.size());
  return finding;
}

}  // namespace tbci::detect
