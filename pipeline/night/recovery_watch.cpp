#include "pipeline/night/recovery_watch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "detect/effect.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/night/endings.hpp"
#include "pipeline/night/known_rise.hpp"
#include "pipeline/night/recovery_reference.hpp"
#include "pipeline/night/wishes.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using model::Regression;

bool goes_with_another(const Regression& regression, const std::vector<Regression>& open) {
  return std::ranges::any_of(open, [&](const Regression& one) {
    return one.night_id == regression.night_id && one.finding.series == regression.finding.series &&
           one.step < regression.step;
  });
}

// Those of older nightlies that tonight has not looked at yet: a night that is judged late, of a nightly from before
// the regression, says nothing of its end. Further steps of a series go with the largest that is open.
Result<std::vector<Regression>> open_regressions(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto all, context.stores.nights.open_regressions(context.name()));
  std::vector<Regression> waiting;
  for (const Regression& regression : all) {
    const bool is_break = regression.finding.series.metric == model::Metric::outcome;  // pipeline/night/break_watch.hpp
    if (regression.night_id == night.id || goes_with_another(regression, all) || is_break) continue;
    TBCI_ASSIGN(const bool looked, context.stores.decisions.has_recovery_look(regression.id, night.id));
    TBCI_ASSIGN(const bool later, is_later(context, night, regression));
    if (!looked && later) waiting.push_back(regression);
  }
  return waiting;
}

// The level before the regression is of the machine as it was then: on one that became slower since, or beside creep,
// no series comes near to it again. So pairs ask now and then, and go on where the last ones were clear. The longer a
// regression is open, the more rarely: what nobody repairs for years must not fill the nights.
Result<bool> is_asked_anyway(SubjectContext& context, const model::Night& night, const Regression& regression) {
  constexpr int most_often = 5, most_rarely = 50, share_of_age = 10;
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const auto asked, context.stores.decisions.latest_measured_look(regression.id));
  const int nights_between = std::clamp((night.number - found.number) / share_of_age, most_often, most_rarely);
  if (night.number - asked.value_or(found.number) >= nights_between) return true;
  TBCI_ASSIGN(const auto latest, context.stores.decisions.latest_look(regression.id));
  return latest == model::Verdict::clear;
}

// Whether pairs found since that the series became better, and no pairs beside the old build have said since then that
// the regression is still there. Where the machine's level moves, the values of the screen alone would not show it.
Result<bool> has_improved_since(SubjectContext& context, const Regression& regression) {
  constexpr int most_nights = 30;
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const auto findings,
              context.stores.nights.series_findings(context.name(), regression.finding.series, most_nights));
  std::string improved;  // the last such night
  for (const storage::SeriesFinding& one : findings) {
    const bool better = one.phase == storage::Phase::confirm && one.finding.verdict == model::Verdict::improvement;
    if (better && is_older(found.name, one.night)) improved = one.night;
  }
  if (improved.empty()) return false;
  TBCI_ASSIGN(const auto looks, context.stores.decisions.recovery_looks(regression.id));
  for (const model::RecoveryLook& look : looks) {
    if (look.verdict != model::Verdict::regression) continue;
    TBCI_ASSIGN(const model::Night night, context.stores.nights.get(look.night_id));
    if (!is_older(night.name, improved)) return false;
  }
  return true;
}

// Of the new build of tonight, by the first look at the case, which may have been beside an older build.
std::vector<double> values_of_tonight(const Screen& screen, const model::Series& series) {
  for (const ScreenedCase& one : screen.cases) {
    if (one.results.measured != series.measured_case()) continue;
    auto values = values_of(one.results.after, series.metric);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (!values.empty()) return values;
  }
  return {};
}

// Processes that take turns have a level of their own (docs/decisions/0027), and those of a confirmation may have. The
// screen that found the regression is of the same kind as tonight's, and its level was higher by what was confirmed.
Result<double> level_before(SubjectContext& context, const Regression& regression) {
  const model::Finding& confirmed = regression.finding;
  if (confirmed.series.metric != model::Metric::time) return confirmed.before;
  TBCI_ASSIGN(const auto screened, context.stores.nights.findings(regression.night_id, storage::Phase::screen));
  const auto found = std::ranges::find(screened, confirmed.series, &model::Finding::series);
  const bool known = found != screened.end() && found->after > 0 && std::isfinite(found->after);
  return known ? found->after / (1 + confirmed.change) : confirmed.before;
}

Result<std::string> found_on(SubjectContext& context, const Regression& regression) {
  return context.stores.nights.get(regression.night_id).map([](const model::Night& night) { return night.name; });
}

// Whether tonight's values of the screen are nearer to the level before the regression than the threshold. Nothing
// where the screen has no value of the series: such a night says neither.
Result<std::optional<bool>> may_have_recovered(SubjectContext& context, const model::Night& night, const Screen& screen,
                                               const Regression& regression) {
  const model::Series& series = regression.finding.series;
  auto values = values_of_tonight(screen, series);
  if (values.empty()) return std::optional<bool>{};
  TBCI_ASSIGN(const std::string found, found_on(context, regression));
  const auto thresholds = context.config.thresholds.for_series(series);
  TBCI_ASSIGN(const double before, level_before(context, regression));
  const auto effect = detect::effect(series.metric, {before, model::median(std::move(values))});
  TBCI_ASSIGN(const double accepted, accepted_since(context, regression, found, night));
  return std::optional(effect && *effect - accepted < detect::least_effect(series.metric, thresholds));
}

// The candidates, and the builds that they are measured beside.
struct Looks {
  std::vector<Regression> regressions;
  std::vector<detect::Candidate> candidates;  // in the same order
  std::vector<RecoveryReference> references;  // in the same order
  std::map<std::string, model::Build> builds;
};

Status add_look(SubjectContext& context, const model::Night& night, Regression regression, Looks& looks) {
  TBCI_ASSIGN(auto reference, recovery_reference(context, night, regression));
  if (!reference) {
    context.progress.note(
        fmt::format("tbci cannot tell whether {} has recovered: no build of that time can be measured",
                    to_string(regression.finding.series)));
    return {};
  }
  looks.candidates.push_back({.series = regression.finding.series,
                              .old_build = reference->build.name,
                              .pairs = {},
                              .nights_looked = 0,
                              .nights_waited = 0,
                              .suspected = 0,
                              .first_suspect = night.name,
                              .rise = reference->rise});
  looks.builds.insert_or_assign(reference->build.name, reference->build);
  looks.references.push_back(std::move(*reference));
  looks.regressions.push_back(std::move(regression));
  return {};
}

Result<Looks> looks_of_tonight(SubjectContext& context, const model::Night& night, const Screen& screen) {
  TBCI_ASSIGN(auto waiting, open_regressions(context, night));
  TBCI_ASSIGN(const auto asked, asked_to_confirm(context));
  Looks looks;
  for (Regression& regression : waiting) {
    TBCI_ASSIGN(const auto near, may_have_recovered(context, night, screen, regression));
    if (!near) continue;
    bool measured = *near || asked.contains(regression.id);
    if (!measured) {
      TBCI_ASSIGN(measured, is_asked_anyway(context, night, regression));
    }
    if (!measured) {
      TBCI_ASSIGN(measured, has_improved_since(context, regression));
    }
    if (measured) {
      TBCI_TRY(add_look(context, night, std::move(regression), looks));
    } else {
      TBCI_TRY(context.stores.decisions.keep_recovery_look(
          regression.id, {.night_id = night.id, .verdict = model::Verdict::suspect, .effect = {}}));
    }
  }
  return looks;
}

}  // namespace

Result<bool> is_later(SubjectContext& context, const model::Night& night, const Regression& regression) {
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
  return is_older(found.name, night.name);
}

// Together: a kill between the two would leave a regression that has recovered, and a report that never hears of it.
Status mark_recovered(SubjectContext& context, const Regression& largest, const std::string& reason) {
  return context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const auto all, context.stores.nights.regressions(largest.night_id));
    for (const Regression& step : all) {
      if (step.finding.series != largest.finding.series || !model::is_open(step.standing)) continue;
      TBCI_TRY(context.stores.decisions.decide({.id = 0,
                                                .regression_id = step.id,
                                                .standing = model::Standing::recovered,
                                                .person = "tbci",
                                                .reason = reason,
                                                .decided = context.clock.now()}));
      TBCI_TRY(note_ending(context, largest, step));
    }
    return {};
  });
}

Status keep_recovery_look(SubjectContext& context, const model::Night& night, const Regression& regression,
                          const TonightsLook& look) {
  return context.stores.database.transaction([&]() -> Status {
    TBCI_TRY(context.stores.decisions.keep_recovery_look(
        regression.id, {.night_id = night.id, .verdict = look.verdict, .effect = look.effect}));
    TBCI_ASSIGN(const int clear, context.stores.decisions.clear_looks(regression.id));
    if (clear < look.nights_needed) return {};
    const std::string reason = fmt::format("{} on {} nights, the last of them {}", look.what, clear, night.name);
    context.progress.note(fmt::format("{} has recovered: {}", to_string(regression.finding.series), reason));
    return mark_recovered(context, regression, reason);
  });
}

Status watch_recoveries(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                        const Screen& screen) {
  TBCI_ASSIGN(Looks looks, looks_of_tonight(context, night, screen));
  if (looks.candidates.empty()) return {};
  const ConfirmationPlan confirmation{.key = model::run_keys::recovery(plan.key),
                                      .after = plan.builds.after,
                                      .old_builds = std::move(looks.builds),
                                      .usual = {},
                                      .until = context.clock.now() + context.config.measure.confirm_limit};
  TBCI_ASSIGN(const Confirmation confirmed, confirm_candidates(context, confirmation, looks.candidates));
  return context.stores.database.transaction([&]() -> Status {
    for (std::size_t i = 0; i < looks.regressions.size(); ++i) {
      const detect::TestedCandidate& outcome = confirmed.outcomes[i];
      if (!outcome.looked) continue;
      const model::Verdict verdict = outcome.finding.verdict;
      const bool gone = verdict == model::Verdict::clear || verdict == model::Verdict::improvement;
      TonightsLook look{.verdict = gone ? model::Verdict::clear : verdict, .what = looks.references[i].clear};
      if (verdict == model::Verdict::regression)
        look.effect = level_in(outcome.finding, looks.references[i], context.config.thresholds);
      TBCI_TRY(keep_recovery_look(context, night, looks.regressions[i], look));
    }
    return {};
  });
}

}  // namespace tbci::pipeline
