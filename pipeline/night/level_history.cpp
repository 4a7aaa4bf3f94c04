#include "pipeline/night/level_history.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "runner/environment.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

constexpr int remembered_nights = 400;  // more than a year: the baseline looks at the last dozen
constexpr int looked_at_nights = 20;    // of a series: the window, and room for nights that were left out

// A nightly that several runs measured counts as on its own night, the first time.
std::map<std::string, const storage::HistoryPoint*> by_nightly(const std::vector<storage::HistoryPoint>& points,
                                                               const std::string& runner,
                                                               const std::string& environment) {
  std::map<std::string, const storage::HistoryPoint*> first;
  for (const storage::HistoryPoint& point : points) {
    const bool ours = point.purpose == model::Purpose::screen && point.runner == runner;
    if (!ours || point.environment != environment) continue;
    const auto [known, added] = first.emplace(point.nightly, &point);
    if (!added && point.run_id < known->second->run_id) known->second = &point;
  }
  return first;
}

bool is_change(model::Verdict verdict) {
  return verdict == model::Verdict::regression || verdict == model::Verdict::improvement;
}

}  // namespace

Result<std::vector<model::Night>> nights_before(SubjectContext& context, const model::Night& tonight) {
  TBCI_ASSIGN(auto nights, context.stores.nights.list(context.name(), remembered_nights));
  std::erase_if(nights, [&](const model::Night& night) { return night.name >= tonight.name; });
  std::reverse(nights.begin(), nights.end());
  return nights;
}

LevelHistory::LevelHistory(SubjectContext& context, const model::Night& tonight, const model::Run& run)
    : context_(&context), tonight_(tonight.name), runner_(run.runner), environment_(run.environment) {}

Result<LevelHistory> LevelHistory::read(SubjectContext& context, const model::Night& tonight, const model::Run& run) {
  LevelHistory history(context, tonight, run);
  TBCI_ASSIGN(const auto nights, nights_before(context, tonight));
  std::set<std::string> names;
  for (const model::Night& night : nights) {
    names.insert(night.name);
    if (night.baseline < tonight.name) names.insert(night.baseline);
  }
  for (const std::string& name : names) history.names_.emplace(name, static_cast<int>(history.names_.size()));
  TBCI_TRY(history.read_accepted(nights));
  return history;
}

Status LevelHistory::read_accepted(const std::vector<model::Night>& nights) {
  const std::size_t first = nights.size() > looked_at_nights ? nights.size() - looked_at_nights : 0;
  for (std::size_t i = first; i < nights.size(); ++i) {
    TBCI_ASSIGN(const auto findings, context_->stores.nights.findings(nights[i].id, storage::Phase::confirm));
    for (const model::Finding& finding : findings) {
      if (is_change(finding.verdict)) accepted_[finding.series].insert(nights[i].name);
    }
  }
  return {};
}

Result<std::optional<KnownLevel>> LevelHistory::level_of(const model::Series& series) const {
  TBCI_ASSIGN(const auto points, context_->stores.runs.series_history(context_->name(), series, looked_at_nights));
  TBCI_ASSIGN(const auto events, context_->stores.events.of_series(context_->name(), runner_, series));
  std::set<std::string> restarts;
  for (const model::Event& event : events) restarts.insert(event.night);
  if (const auto changes = accepted_.find(series); changes != accepted_.end())
    restarts.insert(changes->second.begin(), changes->second.end());

  std::vector<detect::NightValues> nights;
  std::map<int, std::string> names;
  for (const auto& [nightly, point] : by_nightly(points, runner_, environment_)) {
    const auto number = names_.find(nightly);
    if (number == names_.end()) continue;  // tonight's, or one that no night looked at
    names[number->second] = nightly;
    nights.push_back({.night = number->second, .values = point->values, .restarts = restarts.contains(nightly)});
  }
  const auto baseline = detect::baseline_of(series.metric, nights);
  if (!baseline) return std::optional<KnownLevel>{};
  return std::optional(KnownLevel{*baseline, names.at(baseline->reference_night)});
}

Status notice_environment(SubjectContext& context, const model::Night& tonight, const model::Run& run) {
  TBCI_ASSIGN(const auto earlier, nights_before(context, tonight));
  for (auto night = earlier.rbegin(); night != earlier.rend(); ++night) {
    TBCI_ASSIGN(const auto last, context.stores.runs.find(context.name(), model::run_keys::screen(night->name)));
    if (!last || last->runner != run.runner) continue;
    if (last->environment == run.environment) return {};
    TBCI_ASSIGN(const auto before, context.stores.runs.environment(last->environment));
    TBCI_ASSIGN(const auto now, context.stores.runs.environment(run.environment));
    const std::string what = before && now ? runner::readable_diff(*before, *now) : "it is not known how";
    const std::string reason = fmt::format("since {}: {}", night->name, one_line(what, 500));
    context.progress.note(fmt::format("the machine has changed {}: its histories restart", reason));
    return context.stores.events.notice({.night_id = tonight.id,
                                         .runner = run.runner,
                                         .kind = model::EventKind::environment,
                                         .series = {},
                                         .reason = reason},
                                        context.clock.now());
  }
  return {};
}

}  // namespace tbci::pipeline
