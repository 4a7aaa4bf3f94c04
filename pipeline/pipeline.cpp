#include "pipeline/pipeline.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/night/night_bisecting.hpp"
#include "pipeline/night/night_confirming.hpp"
#include "pipeline/night/night_screening.hpp"
#include "pipeline/night/night_selection.hpp"
#include "pipeline/night/recovery_watch.hpp"
#include "pipeline/night/reporting.hpp"

namespace tbci::pipeline {

namespace {

using model::Stage;

Result<Comparison> install(SubjectContext& context, const ChosenNight& chosen) {
  context.progress.begin_stage("install", fmt::format("{} and {}", chosen.baseline.name, chosen.nightly.name), 2);
  TBCI_ASSIGN(model::Build before, install_nightly(context, chosen.baseline));
  TBCI_ASSIGN(model::Build after, install_nightly(context, chosen.nightly));
  context.progress.end_stage("both are there");
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

Result<std::vector<BisectedRange>> bisect(SubjectContext& context, const model::Night& night,
                                          const Comparison& builds) {
  TBCI_TRY(context.stores.nights.enter(night.id, Stage::bisect));
  return bisect_night(context, night, builds);
}

Status report(SubjectContext& context, const model::Night& night, const std::vector<BisectedRange>& all,
              const std::string& environment) {
  TBCI_TRY(context.stores.nights.enter(night.id, Stage::report));
  for (const BisectedRange& range : all) {
    TBCI_ASSIGN(auto regressions, regressions_of(context, range));
    const ReportContext report_context{.night = night.name,
                                       .baseline = range.builds.before.name,
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
  for (const model::Regression& regression : result.regressions) {
    const auto known = [&](const model::Report& report) { return report.id == regression.report_id; };
    if (!regression.report_id || std::any_of(result.reports.begin(), result.reports.end(), known)) continue;
    TBCI_ASSIGN(model::Report report, context.stores.reports.get(*regression.report_id));
    result.reports.push_back(std::move(report));
  }
  return result;
}

// `2 series could not be decided, and wait for the next night: a/cpu-infer/time, b/cpu-infer/time`
Result<std::string> queued_text(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto retests, context.stores.retests.of_night(night.id));
  if (retests.empty()) return std::string();
  std::vector<std::string> names;
  for (const model::QueuedRetest& retest : retests) names.push_back(to_string(retest.series));
  constexpr std::size_t shown = 10;
  const bool more = names.size() > shown;
  if (more) names.resize(shown);
  return fmt::format("{} series could not be decided, and wait for the next night: {}{}", retests.size(),
                     join(names, ", "), more ? ", ..." : "");
}

Status work_through(SubjectContext& context, const model::Night& night, const Comparison& builds) {
  // Once the verdicts stand they are not looked for again, even if the machine has changed since.
  if (night.stage != Stage::bisect && night.stage != Stage::report) {
    ComparisonPlan plan{.key = night.name, .builds = builds, .cases = {}};
    TBCI_ASSIGN(plan.cases, wanted_cases(context, builds.after.product));
    TBCI_ASSIGN(const Screen screen, measure(context, night, plan));
    TBCI_TRY(confirm(context, night, plan, screen));
  }
  TBCI_ASSIGN(const auto range, bisect(context, night, builds));
  const model::Build both[] = {builds.before, builds.after};
  TBCI_ASSIGN(const auto environment, environment_of(context, both));
  TBCI_TRY(report(context, night, range, environment.fingerprint()));
  TBCI_ASSIGN(const std::string note, queued_text(context, night));
  return context.stores.nights.finish(night.id, Stage::done, note, context.clock.now());
}

// What failed for good may have failed through a fault of this machine: a person may ask for another try.
Status forget_failures(SubjectContext& context, const ChosenNight& chosen) {
  for (const model::Nightly* nightly : {&chosen.baseline, &chosen.nightly}) {
    TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, nightly->name));
    if (build && build->state == model::BuildState::failed) TBCI_TRY(context.stores.builds.forget(build->id));
  }
  return {};
}

}  // namespace

Result<NightResult> check_night(SubjectContext& context, const NightChoice& choice) {
  TBCI_ASSIGN(const ChosenNight chosen, choose_night(context, choice));
  const storage::NightPlan plan{
      .subject = context.name(), .name = chosen.nightly.name, .baseline = chosen.baseline.name};
  TBCI_ASSIGN(const model::Night night, context.stores.nights.begin(plan, context.clock.now()));
  const bool again = choice.retry && night.stage == Stage::failed;
  if (night.finished && !again) return result_of(context, night.id, true);
  if (again) {
    TBCI_TRY(forget_failures(context, chosen));
    TBCI_TRY(context.stores.nights.enter(night.id, Stage::install, "tried again"));
  }
  const auto builds = install(context, chosen);
  if (!builds && builds.error().kind == ErrorKind::failed) {
    // The nightly is at fault, and will be the next time: the night is over. No other error says that.
    TBCI_TRY(context.stores.nights.finish(night.id, Stage::failed, one_line(builds.error().message, 500),
                                          context.clock.now()));
  }
  const Status status = builds ? work_through(context, night, *builds) : Status(pass_on(builds.error()));
  if (!status) return fail(status.error(), fmt::format("{} {}", context.name(), night.name));
  return result_of(context, night.id, false);
}

}  // namespace tbci::pipeline
