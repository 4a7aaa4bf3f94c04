#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/night/break_watch.hpp"
#include "pipeline/night/endings.hpp"
#include "pipeline/night/night_bisecting.hpp"
#include "pipeline/night/night_confirming.hpp"
#include "pipeline/night/night_screening.hpp"
#include "pipeline/night/night_selection.hpp"
#include "pipeline/night/recovery_watch.hpp"
#include "pipeline/night/report_standing.hpp"
#include "pipeline/night/reporting.hpp"
#include "pipeline/night/retest_queue.hpp"
#include "pipeline/night/skipped_nightlies.hpp"
#include "pipeline/night/wishes.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using model::Stage;

// If a baseline can no longer be installed, the next older one replaces it: the nightly under test is not at fault.
Result<model::Build> install_baseline(SubjectContext& context, const model::Night& night, const ChosenNight& chosen) {
  constexpr std::size_t most_others = 3;  // more that fail in a row are the fault of the machine or the index
  std::map<std::string, std::string> broken;
  const model::Nightly* tried = &chosen.baseline;
  auto build = install_nightly(context, *tried);
  for (std::size_t i = 0; i < chosen.other_baselines.size(); ++i) {
    if (build || build.error().kind != ErrorKind::failed) break;
    if (i == most_others)
      return fail(Error{ErrorKind::machine, build.error().message},
                  "none of the older nightlies can be installed as a baseline (name one with --baseline)");
    const model::Nightly& other = chosen.other_baselines[i];
    broken.emplace(tried->name, build.error().message);
    context.progress.note(
        fmt::format("{}; tbci uses {} as the baseline instead", one_line(build.error().message, 200), other.name));
    tried = &other;
    build = install_nightly(context, other);
  }
  if (!build || broken.empty()) return build;
  TBCI_TRY(context.stores.nights.compare_with(night.id, tried->name));
  for (const auto& [name, why] : broken) TBCI_TRY(note_broken(context, name, why));
  TBCI_TRY(note_unchecked(context, chosen.published, tried->name, night.name));
  return build;
}

Result<Comparison> install(SubjectContext& context, const model::Night& night, const ChosenNight& chosen) {
  context.progress.begin_stage("install", fmt::format("{} and {}", chosen.baseline.name, chosen.nightly.name), 2);
  // A search between the two needs their commits alone, and whatever is not installed any more stays away.
  if (model::has_verdicts(night.stage)) {
    TBCI_ASSIGN(model::Build before, known_nightly(context, chosen.baseline));
    TBCI_ASSIGN(model::Build after, known_nightly(context, chosen.nightly));
    context.progress.end_stage("both were installed before");
    return Comparison{std::move(before), std::move(after)};
  }
  TBCI_ASSIGN(model::Build before, install_baseline(context, night, chosen));
  TBCI_ASSIGN(model::Build after, install_nightly(context, chosen.nightly));
  context.progress.end_stage("both are installed");
  return Comparison{std::move(before), std::move(after)};
}

Result<Screen> measure(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan) {
  TBCI_TRY(context.stores.nights.enter(night.id, Stage::measure));
  TBCI_ASSIGN(Screen screen, screen_night(context, night, plan));
  for (const ScreenedSeries& one : screen.series) {
    TBCI_TRY(context.stores.nights.put_finding(night.id, storage::Phase::screen, one.finding));
  }
  return screen;
}

Status confirm(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan, const Screen& screen) {
  TBCI_TRY(context.stores.nights.enter(night.id, Stage::confirm));
  TBCI_TRY(confirm_night(context, night, plan, screen));
  return watch_recoveries(context, night, plan, screen);
}

// Verdicts of the numbers, and of what does not run any more. Where no suite can be listed there are no numbers.
Status judge(SubjectContext& context, const model::Night& night, const Comparison& builds) {
  ComparisonPlan plan{.key = night.name, .builds = builds, .cases = {}};
  TBCI_ASSIGN(const NightCases wanted, cases_of_night(context, builds.after.product));
  plan.cases = wanted.cases;
  Screen screen;
  if (plan.cases.empty()) {
    TBCI_TRY(context.stores.nights.enter(night.id, Stage::confirm));
    TBCI_TRY(keep_retests(context, night));
  } else {
    TBCI_ASSIGN(screen, measure(context, night, plan));
    TBCI_TRY(confirm(context, night, plan, screen));
  }
  const ScreenForBreaks seen{.screen = screen, .unlisted = wanted.unlisted};
  TBCI_TRY(end_repaired_breaks(context, night, seen));
  TBCI_TRY(confirm_breaks(context, night, builds, seen));
  return watch_repairs(context, night, seen);
}

Status report(SubjectContext& context, const model::Night& night, const std::vector<BisectedRange>& all,
              const std::string& environment) {
  for (const BisectedRange& range : all) {
    TBCI_ASSIGN(auto regressions, regressions_of(context, range));
    const ReportContext report_context{
        .night = night.name,
        .baseline = range.builds.before.name,
        .bad_nightly = range.builds.after.name == night.name ? "" : range.builds.after.name,
        .bisection = range.bisection ? &*range.bisection : nullptr,
        .environment = environment};
    TBCI_TRY(file_reports(context, report_context, std::move(regressions)));
  }
  return {};
}

Result<NightResult> result_of(SubjectContext& context, std::int64_t night_id, bool checked_before) {
  NightResult result;
  result.checked_before = checked_before;
  TBCI_ASSIGN(result.night, context.stores.nights.get(night_id));
  TBCI_ASSIGN(auto screened, context.stores.nights.findings(night_id, storage::Phase::screen));
  TBCI_ASSIGN(const auto confirmed, context.stores.nights.findings(night_id, storage::Phase::confirm));
  result.findings = merged(std::move(screened), confirmed);
  TBCI_ASSIGN(result.regressions, context.stores.nights.regressions(night_id));
  TBCI_ASSIGN(result.improvements, context.stores.improvements.of_night(night_id));
  for (const model::Regression& regression : result.regressions) {
    const auto known = [&](const model::Report& report) { return report.id == regression.report_id; };
    if (!regression.report_id || std::any_of(result.reports.begin(), result.reports.end(), known)) continue;
    TBCI_ASSIGN(model::Report report, context.stores.reports.get(*regression.report_id));
    result.reports.push_back(std::move(report));
  }
  return result;
}

// `2 series could not be judged, and wait for the next night: a/cpu-infer/time, b/cpu-infer/time`
Result<std::string> queued_text(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto retests, context.stores.retests.of_night(night.id));
  if (retests.empty()) return std::string();
  std::vector<std::string> names;
  for (const model::QueuedRetest& retest : retests) names.push_back(to_string(retest.series));
  constexpr std::size_t shown = 10;
  const bool more = names.size() > shown;
  if (more) names.resize(shown);
  return fmt::format("{} series could not be judged, and wait for the next night: {}{}", retests.size(),
                     join(names, ", "), more ? ", ..." : "");
}

Result<bool> all_reported(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions(night.id));
  return std::ranges::none_of(regressions, [](const model::Regression& one) {
    return model::is_open(one.standing) && one.state != model::RegressionState::reported;
  });
}

// Once more where a person reopened a regression meanwhile.
Status search_and_report(SubjectContext& context, const model::Night& night, const Comparison& builds,
                         const std::string& environment) {
  for (int round = 0; round < 2; ++round) {
    TBCI_ASSIGN(const auto ranges, bisect_night(context, night, builds));
    TBCI_TRY(context.stores.nights.enter(night.id, Stage::report));
    TBCI_TRY(report(context, night, ranges, environment));
    TBCI_ASSIGN(const bool all, all_reported(context, night));
    if (all) break;
  }
  return {};
}

// A person may reopen a regression until the very end.
Status end_night(SubjectContext& context, const model::Night& night, const std::string& note) {
  return context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const bool all, all_reported(context, night));
    if (!all) return fail(ErrorKind::transient, "a regression was reopened as the night ended: it is searched next");
    return context.stores.nights.finish(night.id, Stage::done, note, context.clock.now());
  });
}

Status work_through(SubjectContext& context, const model::Night& night, const Comparison& builds, bool verdicts_only) {
  // Once the verdicts stand they are not looked for again, even if the machine has changed since.
  if (!model::has_verdicts(night.stage)) {
    TBCI_TRY(judge(context, night, builds));
  }
  TBCI_TRY(context.stores.nights.enter(night.id, Stage::bisect));
  if (verdicts_only) {
    TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions(night.id));
    if (!regressions.empty()) return {};
  }
  const model::Build both[] = {builds.before, builds.after};
  TBCI_ASSIGN(const auto environment, environment_of(context, both));
  TBCI_TRY(search_and_report(context, night, builds, environment.fingerprint()));
  TBCI_TRY(tell_endings(context, Commits::are_read));
  TBCI_TRY(tell_standing(context, night));
  TBCI_TRY(answer_confirmations(context, night));
  TBCI_ASSIGN(const std::string note, queued_text(context, night));
  return end_night(context, night, note);
}

// Reports what was confirmed, without the culprits that were not found.
Status report_without_search(SubjectContext& context, const model::Night& night, const std::string& why) {
  Comparison names;
  names.before.name = night.baseline;
  names.after.name = night.name;
  TBCI_ASSIGN(const auto ranges, end_searches(context, night, names, why));
  TBCI_ASSIGN(const auto run, context.stores.runs.find(context.name(), model::run_keys::screen(night.name)));
  if (model::has_verdicts(night.stage)) TBCI_TRY(context.stores.nights.enter(night.id, Stage::report));
  TBCI_TRY(report(context, night, ranges, run ? run->environment : std::string()));
  return tell_endings(context, Commits::are_left_out);
}

// What failed for good may have failed through a fault of this machine: a person may ask for another try.
Status forget_failures(SubjectContext& context, const ChosenNight& chosen) {
  for (const model::Nightly* nightly : {&chosen.baseline, &chosen.nightly}) {
    TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, nightly->name));
    if (build && build->state == model::BuildState::failed) TBCI_TRY(context.stores.builds.forget(build->id));
  }
  return {};
}

// Each runner has a history of its own. Said once, on its first night.
Status note_other_runner(SubjectContext& context) {
  const std::string& own = context.config.runner.name;
  TBCI_ASSIGN(const auto latest, context.stores.runs.runs(context.name(), 1));
  if (latest.empty() || latest.front().runner == own) return {};
  context.progress.note(fmt::format(
      "the last runs of {} are of runner {}, and this is runner {}: each series begins a new history. If the machine "
      "was only renamed, set [runner] name = \"{}\"; if not, give this runner a state folder of its own",
      context.name(), latest.front().runner, own, latest.front().runner));
  return {};
}

// A night that was begun, and whose nightlies are not available any more, is over.
tl::unexpected<Error> end_unreachable(SubjectContext& context, const std::string& name, const Error& error) {
  const auto night = context.stores.nights.find(context.name(), name);
  if (error.kind != ErrorKind::failed || !night || !*night || (*night)->finished) return pass_on(error);
  const Status ended = give_up_night(context, **night, error.message);
  return pass_on(ended ? error : ended.error());
}

}  // namespace

Status give_up_night(SubjectContext& context, const model::Night& night, const std::string& why) {
  const std::string note = one_line(why, 500);
  TBCI_ASSIGN(const model::Night now, context.stores.nights.get(night.id));
  // Also what a night without all its verdicts has confirmed: later nights are compared with builds that have it.
  const Status reported = report_without_search(context, now, note);
  const bool for_good =
      !reported && (reported.error().kind == ErrorKind::failed || reported.error().kind == ErrorKind::usage);
  if (!reported && !for_good) return pass_on(reported.error());
  if (!reported)
    context.progress.note(
        fmt::format("the regressions of {} could not be reported: {}", now.name, reported.error().message));
  const Stage end = reported && model::has_verdicts(now.stage) ? Stage::done : Stage::failed;
  return context.stores.nights.finish(night.id, end, note, context.clock.now());
}

Result<NightResult> check_night(SubjectContext& context, const NightChoice& choice) {
  const auto choosing = choose_night(context, choice);
  if (!choosing) return end_unreachable(context, choice.nightly, choosing.error());
  TBCI_TRY(note_other_runner(context));
  const ChosenNight& chosen = *choosing;
  const storage::NightPlan plan{
      .subject = context.name(), .name = chosen.nightly.name, .baseline = chosen.baseline.name};
  TBCI_ASSIGN(model::Night night, context.stores.nights.begin(plan, context.clock.now()));
  const bool again = choice.retry && night.stage == Stage::failed;
  if (night.finished && !again) return result_of(context, night.id, true);
  if (again) {
    TBCI_TRY(forget_failures(context, chosen));
    TBCI_TRY(context.stores.tries.remove(night.id));
    TBCI_TRY(context.stores.nights.enter(night.id, Stage::install, "tried again"));
    TBCI_ASSIGN(night, context.stores.nights.get(night.id));
  }
  TBCI_TRY(note_unchecked(context, chosen.published, night.baseline, night.name));
  const auto builds = install(context, night, chosen);
  // The nightly is at fault, and will be the next time: the night is over. No other error says that.
  if (!builds && builds.error().kind == ErrorKind::failed)
    TBCI_TRY(give_up_night(context, night, builds.error().message));
  const Status status =
      builds ? work_through(context, night, *builds, choice.verdicts_only) : Status(pass_on(builds.error()));
  if (!status) return fail(status.error(), fmt::format("{} {}", context.name(), night.name));
  return result_of(context, night.id, false);
}

std::string why_nothing_measured(const NightResult& result) {
  std::string why = "no case was there to measure";
  for (const model::Finding& finding : result.findings) {
    if (finding.series.metric != model::Metric::outcome) return {};
    if (!finding.reason.empty()) why = finding.reason;
  }
  return why;
}

}  // namespace tbci::pipeline
