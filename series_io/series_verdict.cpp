#include "series_io/series_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "detect/confirm.hpp"
#include "detect/secondary_metrics.hpp"
#include "series_io/night_screen.hpp"

namespace tbci::series_io {

namespace {

// Keeps the order of the keys: a line begins with its series.
using Json = nlohmann::ordered_json;

constexpr std::size_t named_problems = 5;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

model::Series series_of(const Record& record) {
  return {record.series, model::Configuration{}, record.metric};
}

/// The values of the nights that have one, and the indices of those nights.
struct Usable {
  std::vector<double> values;
  std::vector<std::size_t> nights;
};

Usable usable_of(const Nights& nights) {
  Usable usable;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!nights[i].value) continue;
    usable.values.push_back(*nights[i].value);
    usable.nights.push_back(i);
  }
  return usable;
}

/// `night` of each is an index into all nights, including those without a value.
std::vector<detect::ChangePoint> points_of(const Usable& usable, const detect::ChangePointOptions& options) {
  auto points = detect::change_points(usable.values, options);
  for (detect::ChangePoint& point : points) point.night = usable.nights[point.night];
  return points;
}

Json json_of(const detect::ChangePoint& point, const Nights& nights) {
  return {{"night", point.night},         {"build", nights[point.night].build}, {"before", number(point.before)},
          {"after", number(point.after)}, {"change", number(point.change)},     {"p", number(point.p)}};
}

Json json_of(const NightValue& night, const model::Finding& finding) {
  Json json = {{"build", night.build}, {"verdict", std::string(to_string(finding.verdict))}};
  if (finding.verdict == model::Verdict::inconclusive) {
    json["reason"] = night.reason.empty() ? finding.reason : night.reason;
  } else {
    json["change"] = number(finding.change);
  }
  return json;
}

std::vector<std::string> problems_of(const Nights& nights) {
  std::vector<std::string> problems;
  std::size_t more = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!nights[i].is_problem) continue;
    if (problems.size() == named_problems) {
      ++more;
      continue;
    }
    problems.push_back(fmt::format("night {} ('{}'): {}: the night is not judged; remove that sample to judge it",
                                   i + 1, one_line(nights[i].build, 40), nights[i].reason));
  }
  if (more > 0) problems.push_back(fmt::format("{} more nights have impossible values", more));
  return problems;
}

SeriesVerdict history_verdict(const Record& record, const Nights& nights, const VerdictSettings& settings) {
  const Usable usable = usable_of(nights);
  const bool positive = std::ranges::all_of(usable.values, [](double value) { return value > 0; });
  // A change that is too small to be shown still begins a new level for the screen.
  detect::ChangePointOptions all = settings.change_points;
  all.least_change = 0;
  std::vector<detect::ChangePoint> steps, points;
  if (positive) steps = points_of(usable, all);
  if (positive) points = points_of(usable, settings.change_points);

  std::vector<std::optional<double>> values;
  for (const NightValue& night : nights)
    values.push_back(night.value ? std::optional(*night.value * record.unit.factor) : std::nullopt);
  std::vector<std::size_t> levels;
  for (const auto& step : steps) levels.push_back(step.night);
  const auto findings = screen_nights(series_of(record), values, levels, settings.thresholds);

  Json json = {{"series", record.series}, {"change_points", Json::array()}, {"nights", Json::array()}};
  for (const auto& point : points) json["change_points"].push_back(json_of(point, nights));
  for (std::size_t i = 0; i < nights.size(); ++i) json["nights"].push_back(json_of(nights[i], findings[i]));
  if (!positive) json["note"] = "no change points: the search needs logarithms, and some values are not above 0";
  return {dumped(json), problems_of(nights), false};
}

detect::Judgement judge_pairs(const Record& record, std::span<const detect::Pair> pairs,
                              const detect::Thresholds& thresholds) {
  if (!model::is_secondary(record.metric)) return detect::confirm(series_of(record), pairs, thresholds);
  return {detect::compare_secondary(series_of(record), pairs, thresholds), 0};
}

SeriesVerdict pairs_verdict(const Record& record, const Pairs& pairs, const VerdictSettings& settings) {
  std::vector<detect::Pair> scaled;
  for (const detect::Pair& pair : pairs.pairs)
    scaled.push_back({pair.before * record.unit.factor, pair.after * record.unit.factor});
  const detect::Judgement judgement = judge_pairs(record, scaled, settings.thresholds);
  const model::Finding& finding = judgement.finding;
  const bool more = judgement.pairs_wanted > 0;
  const bool known = !scaled.empty() && pairs.problem.empty();
  const auto if_known = [&](double value) { return known ? number(value) : Json(); };
  Json json = {{"series", record.series},
               {"verdict", more ? std::string("more") : std::string(to_string(finding.verdict))},
               {"estimate", if_known(finding.change)},
               {"interval", {if_known(finding.low), if_known(finding.high)}},
               {"pairs_wanted", judgement.pairs_wanted},
               {"pairs", scaled.size()},
               {"before", if_known(finding.before / record.unit.factor)},
               {"after", if_known(finding.after / record.unit.factor)}};
  SeriesVerdict verdict;
  if (!pairs.problem.empty()) {
    verdict.problems.push_back(pairs.problem + ": remove the pairs of processes that failed");
    json["reason"] = pairs.problem;
  } else if (!more) {
    json["reason"] = finding.reason;
  }
  verdict.line = dumped(json);
  verdict.regression = finding.verdict == model::Verdict::regression;
  return verdict;
}

}  // namespace

SeriesVerdict series_verdict(const Record& record, const VerdictSettings& settings) {
  if (const auto* nights = std::get_if<Nights>(&record.data)) return history_verdict(record, *nights, settings);
  return pairs_verdict(record, std::get<Pairs>(record.data), settings);
}

std::string error_line(std::size_t number, const std::string& error) {
  return dumped({{"line", number}, {"error", error}});
}

}  // namespace tbci::series_io
