#include "pipeline/night/night_screening.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "detect/leak.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "pipeline/night/level_history.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using Levels = std::map<model::Series, KnownLevel>;

// A case is measured alone where the history of its time is known. Its other metrics then are, or are new.
Result<Levels> known_levels(const LevelHistory& history, const std::vector<model::Case>& cases) {
  Levels levels;
  for (const model::Case& measured : cases) {
    for (const model::Metric metric : model::all_metrics) {
      const model::Series series{measured.benchmark, measured.configuration, metric};
      TBCI_ASSIGN(auto level, history.level_of(series));
      if (level) levels.emplace(series, std::move(*level));
      if (!level && metric == model::Metric::time) break;
    }
  }
  return levels;
}

bool is_known(const Levels& levels, const model::Case& measured) {
  return levels.contains({measured.benchmark, measured.configuration, model::Metric::time});
}

// The older build of a case without a history: the baseline, where its own night could screen the case.
Result<std::string> usual_build(const LevelHistory& history, const model::Case& measured, const std::string& baseline) {
  TBCI_ASSIGN(const auto screened, history.last_screened(measured));
  return screened && is_older(*screened, baseline) ? *screened : baseline;
}

// The older build that a case is measured beside: a few nights back, where its time has a history, so that a step that
// was overlooked lies between the two. A series that began again with an accepted change wants none that is older than
// that: its step would be found once more. What came before was looked at on that night.
std::string reference_of(const LevelHistory& history, const Levels& levels, const model::Case& measured,
                         const std::string& usual) {
  const auto time = levels.find({measured.benchmark, measured.configuration, model::Metric::time});
  std::string reference = time == levels.end() ? usual : time->second.reference;
  for (const model::Metric metric : model::all_metrics) {
    const auto beginning = history.beginning_of({measured.benchmark, measured.configuration, metric});
    if (beginning && is_older(reference, *beginning)) reference = *beginning;
  }
  return reference;
}

model::Finding against_history(const SubjectContext& context, const Levels& levels, const model::Series& series,
                               const std::vector<model::Measurement>& tonight) {
  const auto level = levels.find(series);
  const auto baseline = level == levels.end() ? std::nullopt : std::optional(level->second.baseline);
  const auto thresholds = context.config.thresholds.for_series(series);
  if (!detect::is_leak(series.metric))
    return detect::screen_against(series, baseline, values_of(tonight, series.metric), thresholds);
  std::vector<detect::Growth> growths;
  for (const model::Measurement& measurement : tonight) {
    const auto value = model::value_of(measurement, series.metric);
    if (value) growths.push_back({*value, model::interval_of(measurement, series.metric)});
  }
  return detect::screen_against(series, baseline, growths, thresholds);
}

// What tonight's processes say against history. A case that fails tonight wants a look beside the old build.
struct FirstLook {
  std::vector<model::Finding> clear;
  std::set<model::Series> suspects;
  std::map<std::string, std::vector<model::Case>> beside;  // by the nightly to measure beside
};

void look_at(const SubjectContext& context, const LevelHistory& history, const Levels& levels,
             const MeasuredCase& results, FirstLook& look) {
  const model::Case& measured = results.measured;
  // Its history says that it ran: what is unsupported now is held beside the old build, and is said to fail.
  bool clear = !always_fails(results.after);
  std::vector<model::Finding> findings;
  for (const model::Metric metric : model::all_metrics) {
    const model::Series series{measured.benchmark, measured.configuration, metric};
    if (model::is_secondary(metric) || values_of(results.after, metric).empty()) continue;
    findings.push_back(against_history(context, levels, series, results.after));
    if (findings.back().verdict == model::Verdict::suspect) look.suspects.insert(series);
    clear = clear && findings.back().verdict == model::Verdict::clear;
  }
  if (clear) {
    look.clear.insert(look.clear.end(), findings.begin(), findings.end());
  } else {
    look.beside[reference_of(history, levels, measured, {})].push_back(measured);
  }
}

// What a night knows of the machine before it looks beside older builds.
struct MachineWatch {
  const model::Night& night;
  const LevelHistory& history;
  const Levels& levels;
  const std::set<model::Series>& suspects;  // against history
};

// The old build's processes of tonight, compared with the history: a series that looked changed against history and is
// clear beside the old build was moved by the machine, where the old build moved as well.
Result<model::Finding> look_again(SubjectContext& context, const MachineWatch& watch, model::Finding finding,
                                  const model::Run& run, const model::Build& old_build) {
  const auto level = watch.levels.find(finding.series);
  const bool asked = finding.verdict == model::Verdict::clear && watch.suspects.contains(finding.series);
  if (!asked || level == watch.levels.end()) return finding;
  TBCI_ASSIGN(const auto tonight, context.stores.runs.values(run.id, old_build.id, finding.series));
  TBCI_ASSIGN(const auto own_night, watch.history.first_values(finding.series, old_build.name));
  if (tonight.empty()) return finding;
  const auto move = detect::machine_move(finding.series, level->second.baseline, own_night, tonight,
                                         context.config.thresholds.for_series(finding.series));
  if (!move) return finding;
  finding.verdict = model::Verdict::environment_changed;
  finding.reason =
      fmt::format("{} moved as well, by {}: the machine changed, not the build", old_build.name, human_change(*move));
  TBCI_TRY(context.stores.events.notice({.night_id = watch.night.id,
                                         .runner = run.runner,
                                         .kind = model::EventKind::moved,
                                         .series = finding.series,
                                         .reason = finding.reason},
                                        context.clock.now()));
  return finding;
}

void tell_replaced(SubjectContext& context, const std::string& name, const Error& error, const model::Build& by) {
  context.progress.note(
      fmt::format("{} can no longer be measured ({}): {} replaces it", name, one_line(error.message, 200), by.name));
}

// Nothing where that nightly is not available any more.
Result<std::optional<model::Build>> old_build_named(SubjectContext& context, const Comparison& builds,
                                                    const std::string& name) {
  if (name == builds.before.name) return std::optional(builds.before);
  auto build = build_named(context, name);
  if (build) return std::optional(std::move(*build));
  if (build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
  tell_replaced(context, name, build.error(), builds.before);
  return std::optional<model::Build>{};
}

// Pairs that another machine measured show what they show, and do not count in the confirmation.
void add(Screen& screen, Screen looked) {
  for (ScreenedSeries& one : looked.series) {
    if (looked.run.environment != screen.run.environment) one.pairs.clear();
    screen.series.push_back(std::move(one));
  }
  for (ScreenedCase& one : looked.cases) screen.cases.push_back(std::move(one));
}

// Every judged series is near its usual level, so that the case leaves the rounds early.
bool is_clearly_usual(const SubjectContext& context, const Levels& levels, const MeasuredCase& results) {
  for (const model::Metric metric : model::all_metrics) {
    const model::Series series{results.measured.benchmark, results.measured.configuration, metric};
    const auto values = values_of(results.after, metric);
    if (values.empty() || model::is_secondary(metric) || detect::is_leak(metric)) continue;
    const auto level = levels.find(series);
    const auto baseline = level == levels.end() ? std::nullopt : std::optional(level->second.baseline);
    if (!detect::is_clearly_usual(series, baseline, values, context.config.thresholds.for_series(series))) return false;
  }
  return true;
}

Status look_beside(SubjectContext& context, const MachineWatch& watch, const ComparisonPlan& plan,
                   const FirstLook& look, Screen& screen) {
  for (const auto& [reference, cases] : look.beside) {
    TBCI_ASSIGN(const auto old_build, old_build_named(context, plan.builds, reference));
    ComparisonPlan beside{.key = model::run_keys::beside(watch.night.name, reference),
                          .builds = {old_build.value_or(plan.builds.before), plan.builds.after},
                          .cases = cases};
    auto looked = screen_builds(context, beside);
    if (!looked && beside.builds.before.id != plan.builds.before.id && is_fault_of_builds(looked.error())) {
      tell_replaced(context, reference, looked.error(), plan.builds.before);
      beside.builds.before = plan.builds.before;
      looked = screen_builds(context, beside);
    }
    if (!looked) return pass_on(looked.error());
    for (ScreenedSeries& one : looked->series) {
      TBCI_ASSIGN(one.finding, look_again(context, watch, std::move(one.finding), looked->run, beside.builds.before));
    }
    add(screen, std::move(*looked));
  }
  return {};
}

Status screen_by_history(SubjectContext& context, const ComparisonPlan& plan, const LevelHistory& history,
                         const Levels& levels, std::vector<MeasuredCase>& known, FirstLook& look, Screen& screen) {
  context.progress.begin_stage(
      "measure", fmt::format("{} cases on {}, against their history", known.size(), plan.builds.after.name),
      static_cast<int>(known.size()) * context.config.measure.sampling.least);
  TBCI_TRY(measure_rounds(context, screen.run, plan.builds, known, [&](const MeasuredCase& results) {
    return is_clearly_usual(context, levels, results) || !wants_more(context, results.after);
  }));
  for (const MeasuredCase& results : known) {
    look_at(context, history, levels, results, look);
    screen.cases.push_back({.results = results, .old_build = reference_of(history, levels, results.measured, {})});
  }
  std::size_t again = 0;
  for (const auto& [reference, cases] : look.beside) again += cases.size();
  context.progress.end_stage(fmt::format("{} cases to measure beside an older build", again));
  for (model::Finding& finding : look.clear)
    screen.series.push_back({.finding = std::move(finding), .old_build = plan.builds.before.name, .pairs = {}});
  return {};
}

}  // namespace

Result<Screen> screen_night(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan) {
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(const model::Run run,
              begin_run(context, model::run_keys::screen(plan.key), model::Purpose::screen, both));
  TBCI_TRY(notice_environment(context, night, run));
  TBCI_ASSIGN(const LevelHistory history, LevelHistory::read(context, night, run));
  TBCI_ASSIGN(const Levels levels, known_levels(history, plan.cases));

  Screen screen{.run = run, .series = {}};
  ComparisonPlan unknown{.key = plan.key, .builds = plan.builds, .cases = {}};
  std::vector<MeasuredCase> known;
  FirstLook look;
  for (const model::Case& measured : plan.cases) {
    TBCI_ASSIGN(const std::string usual, usual_build(history, measured, plan.builds.before.name));
    const std::string reference = reference_of(history, levels, measured, usual);
    // Of a case that is always measured beside an old build, history has no processes alone.
    if (is_known(levels, measured) && !alternates(context, model::Purpose::screen, measured)) {
      known.push_back({.measured = measured, .beside = false});
    } else if (reference == plan.builds.before.name) {
      unknown.cases.push_back(measured);
    } else {
      look.beside[reference].push_back(measured);
    }
  }
  if (!known.empty()) TBCI_TRY(screen_by_history(context, plan, history, levels, known, look, screen));
  TBCI_TRY(look_beside(context, {night, history, levels, look.suspects}, plan, look, screen));
  if (unknown.cases.empty()) {
    TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  } else {
    TBCI_ASSIGN(Screen looked, screen_builds(context, unknown));
    add(screen, std::move(looked));
  }
  return screen;
}

}  // namespace tbci::pipeline
