#include "pipeline/night/level_history.hpp"

#include <algorithm>
#include <ranges>

#include "base/text.hpp"
#include "pipeline/measure/measuring.hpp"
#include "runner/environment/readable_diff.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

constexpr int remembered_nights = 100;  // a series that was not measured eight times in them has no history
constexpr int looked_at_nights = 20;    // of a series: the window, and room for nights that were left out

// A later night must find them.
Result<std::set<model::Series>> untold(SubjectContext& context, const model::Night& night) {
  std::set<model::Series> series;
  if (night.stage != model::Stage::failed) return series;
  TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions(night.id));
  for (const model::Regression& regression : regressions) {
    if (model::is_untold(night, regression)) series.insert(regression.finding.series);
  }
  return series;
}

// What is usual of a leak is what is certain of it.
void keep_the_certain(const detect::Thresholds& thresholds, storage::HistoryPoint& point) {
  for (std::size_t i = 0; i < point.intervals.size(); ++i)
    point.values[i] = detect::certain_growth({point.values[i], point.intervals[i]}, thresholds);
}

}  // namespace

Result<std::vector<model::Night>> nights_before(SubjectContext& context, const model::Night& tonight) {
  return context.stores.nights.before(context.name(), tonight.name, remembered_nights);
}

LevelHistory::LevelHistory(SubjectContext& context, const model::Night& tonight, const model::Run& run)
    : context_(&context), tonight_(tonight.name), runner_(run.runner), environment_(run.environment) {}

Result<LevelHistory> LevelHistory::read(SubjectContext& context, const model::Night& tonight, const model::Run& run) {
  LevelHistory history(context, tonight, run);
  TBCI_ASSIGN(const auto nights, nights_before(context, tonight));
  history.name_nightlies(nights);
  TBCI_TRY(history.read_accepted(nights));
  TBCI_TRY(history.read_events());
  return history;
}

// Of nights, and what they were compared with: the first baseline was never a night.
void LevelHistory::name_nightlies(const std::vector<model::Night>& nights) {
  Nightlies names;
  for (const model::Night& night : nights) {
    names.insert(night.name);
    if (is_older(night.baseline, tonight_)) names.insert(night.baseline);
  }
  nightlies_.assign(names.begin(), names.end());
  for (const std::string& name : nightlies_) numbers_.emplace(name, static_cast<int>(numbers_.size()));
}

Status LevelHistory::read_accepted(const std::vector<model::Night>& nights) {
  for (const model::Night& night : nights) {
    TBCI_ASSIGN(const auto findings, context_->stores.nights.findings(night.id, storage::Phase::confirm));
    TBCI_ASSIGN(const auto lost, untold(*context_, night));
    for (const model::Finding& finding : findings) {
      if (model::is_change(finding.verdict) && !lost.contains(finding.series))
        accepted_[finding.series].insert(night.name);
    }
  }
  return {};
}

Status LevelHistory::read_events() {
  if (nightlies_.empty()) return {};
  TBCI_ASSIGN(const auto events, context_->stores.events.since(context_->name(), runner_, nightlies_.front()));
  for (const model::Event& event : events) {
    if (!is_older(event.night, tonight_)) continue;
    if (event.series) {
      moved_[*event.series].insert(event.night);
    } else {
      environments_.insert(event.night);
    }
  }
  return {};
}

LevelHistory::Nightlies LevelHistory::restarts_of(const model::Series& series) const {
  Nightlies restarts = environments_;
  for (const auto* nights : {&accepted_, &moved_}) {
    if (const auto found = nights->find(series); found != nights->end())
      restarts.insert(found->second.begin(), found->second.end());
  }
  return restarts;
}

// A nightly that several runs measured counts as on its own night, the first time. What was measured tonight is
// not history: a night that was cut off must not find more than before.
Result<std::map<std::string, storage::HistoryPoint>> LevelHistory::points_of(const model::Series& series) const {
  std::map<std::string, storage::HistoryPoint> first;
  if (nightlies_.empty()) return first;
  const storage::HistoryWindow window{.newest = looked_at_nights, .since = nightlies_.front(), .before = tonight_};
  TBCI_ASSIGN(auto points, context_->stores.runs.series_history(context_->name(), series, window));
  for (storage::HistoryPoint& point : points) {
    const bool ours = point.purpose == model::Purpose::screen && point.runner == runner_ &&
                      point.alternating == alternates(*context_, model::Purpose::screen, series.measured_case());
    if (!ours || point.environment != environment_ || point.key.starts_with(tonight_ + "/")) continue;
    const auto known = first.find(point.nightly);
    if (known == first.end() || point.run_id < known->second.run_id)
      first.insert_or_assign(point.nightly, std::move(point));
  }
  return first;
}

Result<std::optional<KnownLevel>> LevelHistory::level_of(const model::Series& series) const {
  TBCI_ASSIGN(auto points, points_of(series));
  const auto& thresholds = context_->config.thresholds.for_series(series);
  std::map<int, detect::NightValues> nights;
  for (auto& [nightly, point] : points) {
    const auto number = numbers_.find(nightly);
    if (number == numbers_.end()) continue;  // no night looked at it
    keep_the_certain(thresholds, point);
    nights[number->second].values = point.values;
  }
  // Also on a night that has no values: what was measured before it does not count.
  for (const std::string& nightly : restarts_of(series)) {
    if (const auto number = numbers_.find(nightly); number != numbers_.end()) nights[number->second].restarts = true;
  }
  std::vector<detect::NightValues> history;
  for (auto& [number, night] : nights) {
    night.night = number;
    history.push_back(night);
  }
  const auto baseline = detect::baseline_of(series.metric, history);
  if (!baseline) return std::optional<KnownLevel>{};
  return std::optional(KnownLevel{*baseline, nightlies_.at(static_cast<std::size_t>(baseline->reference_night))});
}

std::optional<std::string> LevelHistory::beginning_of(const model::Series& series) const {
  const auto nights = accepted_.find(series);
  return nights == accepted_.end() ? std::nullopt : std::optional(*nights->second.rbegin());
}

// Processes alone do not say it: where the old build's had no space, one of the new build's may have ended, and nothing
// was compared.
Result<std::optional<std::string>> LevelHistory::last_screened(const model::Case& measured) const {
  const model::Series time{measured.benchmark, measured.configuration, model::Metric::time};
  TBCI_ASSIGN(const auto findings, context_->stores.nights.series_findings(context_->name(), time, remembered_nights));
  std::optional<std::string> last;
  for (const storage::SeriesFinding& one : findings) {  // the oldest night first
    const bool judged = one.phase == storage::Phase::screen && one.finding.verdict != model::Verdict::inconclusive;
    if (judged && numbers_.contains(one.night)) last = one.night;
  }
  return last;
}

Result<std::vector<double>> LevelHistory::first_values(const model::Series& series, const std::string& nightly) const {
  TBCI_ASSIGN(auto points, points_of(series));
  const auto point = points.find(nightly);
  return point == points.end() ? std::vector<double>{} : std::move(point->second.values);
}

namespace {

// The screen of a night that counts: the one that went to its end last, or else the last that was begun.
Result<std::optional<model::Run>> screen_of(SubjectContext& context, const model::Night& night,
                                            const std::string& runner) {
  TBCI_ASSIGN(auto runs, context.stores.runs.runs_of_key(context.name(), model::run_keys::screen(night.name)));
  std::erase_if(runs, [&](const model::Run& run) { return run.runner != runner; });
  // The latest begun come first, and nullopt is less than any time.
  const auto last = std::ranges::max_element(runs, {}, &model::Run::finished);
  return last == runs.end() ? std::nullopt : std::optional(*last);
}

}  // namespace

Result<std::optional<ScreenedNight>> screened_before(SubjectContext& context, const model::Night& tonight,
                                                     const std::string& runner) {
  TBCI_ASSIGN(const auto earlier, nights_before(context, tonight));
  for (const model::Night& night : std::views::reverse(earlier)) {
    TBCI_ASSIGN(auto run, screen_of(context, night, runner));
    if (run) return std::optional(ScreenedNight{night.name, std::move(*run)});
  }
  return std::optional<ScreenedNight>{};
}

Status notice_environment(SubjectContext& context, const model::Night& tonight, const model::Run& run) {
  TBCI_ASSIGN(const auto last, screened_before(context, tonight, run.runner));
  if (!last || last->run.environment == run.environment) return {};
  TBCI_ASSIGN(const auto before, context.stores.runs.environment(last->run.environment));
  TBCI_ASSIGN(const auto now, context.stores.runs.environment(run.environment));
  const std::string what = before && now ? runner::readable_diff(*before, *now) : "tbci does not know how";
  const std::string reason = fmt::format("since {}: {}", last->nightly, one_line(what, 500));
  context.progress.note(fmt::format("the machine has changed {}; its histories begin again", reason));
  return context.stores.events.notice({.night_id = tonight.id,
                                       .runner = run.runner,
                                       .kind = model::EventKind::environment,
                                       .series = {},
                                       .reason = reason},
                                      context.clock.now());
}

}  // namespace tbci::pipeline
