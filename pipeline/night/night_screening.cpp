#include "pipeline/night/night_screening.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
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

// What tonight's processes say against history. A case that fails tonight wants a look beside the old build.
struct FirstLook {
  std::vector<model::Finding> clear;
  std::map<std::string, std::vector<model::Case>> beside;  // by the nightly to measure beside
};

void look_at(const SubjectContext& context, const Levels& levels, const MeasuredCase& results, FirstLook& look) {
  const model::Case& measured = results.measured;
  if (results.is_unsupported()) return;
  const model::Series time{measured.benchmark, measured.configuration, model::Metric::time};
  bool clear = !always_fails(results.after);
  std::vector<model::Finding> findings;
  for (const model::Metric metric : model::all_metrics) {
    const model::Series series{measured.benchmark, measured.configuration, metric};
    const auto values = values_of(results.after, metric);
    const auto level = levels.find(series);
    if (values.empty() || model::is_secondary(metric)) continue;
    const auto baseline = level == levels.end() ? std::nullopt : std::optional(level->second.baseline);
    findings.push_back(detect::screen_against(series, baseline, values, context.config.thresholds.for_series(series)));
    clear = clear && findings.back().verdict == model::Verdict::clear;
  }
  if (clear) {
    look.clear.insert(look.clear.end(), findings.begin(), findings.end());
  } else {
    look.beside[levels.at(time).reference].push_back(measured);
  }
}

// The old build's processes of tonight, held against the history of its own kind: whether the machine moved.
class MachineWatch {
 public:
  MachineWatch(SubjectContext& context, const model::Night& night, const Levels& levels)
      : context_(context), night_(night), levels_(levels) {}

  /// A finding that is clear beside the old build, of a series that looked changed against history.
  Result<model::Finding> look_again(model::Finding finding, const model::Run& run, const model::Build& old_build) {
    const auto level = levels_.find(finding.series);
    if (finding.verdict != model::Verdict::clear || level == levels_.end()) return finding;
    TBCI_ASSIGN(const auto values, context_.stores.runs.values(run.id, old_build.id, finding.series));
    if (values.empty()) return finding;
    const model::Finding moved = detect::screen_against(finding.series, level->second.baseline, values,
                                                        context_.config.thresholds.for_series(finding.series));
    if (moved.verdict != model::Verdict::suspect) return finding;
    finding.verdict = model::Verdict::environment_changed;
    finding.reason =
        fmt::format("{} moved as well, by {}: it is the machine", old_build.name, human_change(moved.change));
    TBCI_TRY(context_.stores.events.notice({.night_id = night_.id,
                                            .runner = run.runner,
                                            .kind = model::EventKind::moved,
                                            .series = finding.series,
                                            .reason = finding.reason},
                                           context_.clock.now()));
    return finding;
  }

 private:
  SubjectContext& context_;
  const model::Night& night_;
  const Levels& levels_;
};

// Nothing where that nightly cannot be had any more.
Result<std::optional<model::Build>> old_build_named(SubjectContext& context, const Comparison& builds,
                                                    const std::string& name) {
  if (name == builds.before.name) return std::optional(builds.before);
  auto build = build_named(context, name);
  if (build) return std::optional(std::move(*build));
  if (build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
  context.progress.note(fmt::format("{} cannot be measured any more ({}): {} takes its place", name,
                                    one_line(build.error().message, 200), builds.before.name));
  return std::optional<model::Build>{};
}

// Pairs that another machine measured show what they show, and do not count in the confirmation.
void add(Screen& screen, Screen looked) {
  for (ScreenedSeries& one : looked.series) {
    if (looked.run.environment != screen.run.environment) one.pairs.clear();
    screen.series.push_back(std::move(one));
  }
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

Status look_beside(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan, const Levels& levels,
                   const FirstLook& look, Screen& screen) {
  MachineWatch machine(context, night, levels);
  for (const auto& [reference, cases] : look.beside) {
    TBCI_ASSIGN(const auto old_build, old_build_named(context, plan.builds, reference));
    const ComparisonPlan beside{.key = model::run_keys::beside(night.name, reference),
                                .builds = {old_build.value_or(plan.builds.before), plan.builds.after},
                                .cases = cases};
    TBCI_ASSIGN(Screen looked, screen_builds(context, beside));
    for (ScreenedSeries& one : looked.series) {
      TBCI_ASSIGN(one.finding, machine.look_again(std::move(one.finding), looked.run, beside.builds.before));
    }
    add(screen, std::move(looked));
  }
  return {};
}

Status screen_by_history(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                         const Levels& levels, std::vector<MeasuredCase>& known, Screen& screen) {
  context.progress.begin_stage(
      "measure", fmt::format("{} cases on {}, against their history", known.size(), plan.builds.after.name),
      static_cast<int>(known.size()) * context.config.measure.sampling.least);
  TBCI_TRY(measure_rounds(context, screen.run, plan.builds, known, [&](const MeasuredCase& results) {
    return is_clearly_usual(context, levels, results) || !wants_more(context, results.after);
  }));
  FirstLook look;
  for (const MeasuredCase& results : known) look_at(context, levels, results, look);
  std::size_t again = 0;
  for (const auto& [reference, cases] : look.beside) again += cases.size();
  context.progress.end_stage(fmt::format("{} of {} cases to measure beside an older build", again, known.size()));
  for (model::Finding& finding : look.clear) screen.series.push_back({std::move(finding), plan.builds.before.name, {}});
  return look_beside(context, night, plan, levels, look, screen);
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
  for (const model::Case& measured : plan.cases) {
    if (is_known(levels, measured)) {
      known.push_back({.measured = measured, .beside = false});
    } else {
      unknown.cases.push_back(measured);
    }
  }
  if (!known.empty()) TBCI_TRY(screen_by_history(context, night, plan, levels, known, screen));
  if (unknown.cases.empty()) {
    TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  } else {
    TBCI_ASSIGN(Screen looked, screen_builds(context, unknown));
    add(screen, std::move(looked));
  }
  return screen;
}

}  // namespace tbci::pipeline
