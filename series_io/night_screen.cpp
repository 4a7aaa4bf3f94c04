#include "series_io/night_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "detect/effect.hpp"
#include "detect/leak.hpp"
#include "detect/screen.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::series_io {

namespace {

double baseline_of(model::Metric metric, std::span<const double> values) {
  if (detect::is_leak(metric)) return model::median({values.begin(), values.end()});
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return std::exp(model::median(std::move(logs)));
}

// What the last nights say of a leak is known far better than what one night's value lies between.
model::Finding screened(const model::Series& series, double baseline, double tonight,
                        const detect::Thresholds& thresholds) {
  if (!detect::is_leak(series.metric)) return detect::screen(series, {&baseline, 1}, {&tonight, 1}, thresholds);
  const detect::Growth usual{baseline, model::Interval{baseline, baseline}}, growth{tonight};
  return detect::screen_leak(series, {&usual, 1}, {&growth, 1}, thresholds);
}

}  // namespace

std::vector<model::Finding> screen_nights(const model::Series& series, std::span<const std::optional<double>> nights,
                                          std::span<const std::size_t> levels, const detect::Thresholds& thresholds,
                                          const NightScreen& settings) {
  std::vector<model::Finding> findings;
  std::vector<double> before;            // of all nights with a value
  std::size_t begin = 0, new_begin = 0;  // places in `before`: of the level that counts, and of the newest
  auto level = levels.begin();
  for (std::size_t night = 0; night < nights.size(); ++night) {
    if (level != levels.end() && *level == night) {
      new_begin = before.size();
      ++level;
    }
    if (before.size() >= new_begin + settings.least_nights) begin = new_begin;
    const std::size_t count = std::min(before.size() - begin, settings.window);
    model::Finding finding;
    finding.series = series;
    finding.verdict = model::Verdict::inconclusive;
    if (!nights[night]) {
      finding.reason = "no value";
    } else if (count < settings.least_nights) {
      finding.reason =
          fmt::format("no baseline yet: {} nights before it have a value, {} are needed", count, settings.least_nights);
    } else {
      const double baseline = baseline_of(series.metric, std::span(before).last(count));
      finding = screened(series, baseline, *nights[night], thresholds);
    }
    if (nights[night]) before.push_back(*nights[night]);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tbci::series_io
