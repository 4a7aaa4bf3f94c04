#include "daemon/pipeline/pipeline.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/pipeline/building.hpp"
#include "daemon/pipeline/choosing.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "daemon/pipeline/measuring.hpp"
#include "daemon/pipeline/night_confirming.hpp"
#include "daemon/pipeline/night_screening.hpp"
#include "daemon/pipeline/night_searching.hpp"
#include "daemon/pipeline/reporting.hpp"

namespace tbci::daemon {

namespace {

using model::Stage;

Result<Comparison> install(Desk& desk, const ChosenNight& chosen) {
  desk.progress.begin_stage("install", fmt::format("{} and {}", chosen.baseline.name, chosen.nightly.name), 2);
  TBCI_ASSIGN(model::Build before, install_nightly(desk, chosen.baseline));
  TBCI_ASSIGN(model::Build after, install_nightly(desk, chosen.nightly));
  desk.progress.end_stage("both are there");
  return Comparison{std::move(before), std::move(after)};
}

Result<std::vector<Screened>> measure(Desk& desk, const model::Night& night, const ComparisonPlan& plan) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::measure));
  TBCI_ASSIGN(auto screened, screen_night(desk, night, plan));
  for (const Screened& one : screened) {
    TBCI_TRY(desk.stores.nights.put_finding(night.id, storage::Phase::screen, one.finding));
  }
  return screened;
}

Status confirm(Desk& desk, const model::Night& night, const ComparisonPlan& plan,
               const std::vector<Screened>& screened) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::confirm));
  return confirm_night(desk, night, plan, screened);
}

Result<std::vector<Searched>> bisect(Desk& desk, const model::Night& night, const Comparison& builds) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::bisect));
  return search_night(desk, night, builds);
}

Status report(Desk& desk, const model::Night& night, const std::vector<Searched>& all, const std::string& environment) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::report));
  for (const Searched& searched : all) {
    TBCI_ASSIGN(auto regressions, regressions_of(desk, searched));
    const ReportContext context{.night = night.name,
                                .baseline = searched.builds.before.name,
                                .bisection = searched.bisection ? &*searched.bisection : nullptr,
                                .environment = environment};
    TBCI_TRY(file_reports(desk, context, std::move(regressions)));
  }
  return {};
}

Result<NightResult> result_of(Desk& desk, std::int64_t night_id, bool checked_before) {
  NightResult result;
  result.checked_before = checked_before;
  TBCI_ASSIGN(result.night, desk.stores.nights.get(night_id));
  TBCI_ASSIGN(auto screened, desk.stores.nights.findings(night_id, storage::Phase::screen));
  TBCI_ASSIGN(const auto confirmed, desk.stores.nights.findings(night_id, storage::Phase::confirm));
  result.findings = merged(std::move(screened), confirmed);
  TBCI_ASSIGN(result.regressions, desk.stores.nights.regressions(night_id));
  for (const model::Regression& regression : result.regressions) {
    const auto known = [&](const model::Report& report) { return report.id == regression.report_id; };
    if (!regression.report_id || std::any_of(result.reports.begin(), result.reports.end(), known)) continue;
    TBCI_ASSIGN(model::Report report, desk.stores.reports.get(*regression.report_id));
    result.reports.push_back(std::move(report));
  }
  return result;
}

// `2 series could not be decided, and wait for the next night: a/cpu-infer/time, b/cpu-infer/time`
Result<std::string> left_over_text(Desk& desk, const model::Night& night) {
  TBCI_ASSIGN(const auto leftovers, desk.stores.events.left_over(night.id));
  if (leftovers.empty()) return std::string();
  std::vector<std::string> names;
  for (const model::Leftover& leftover : leftovers) names.push_back(to_string(leftover.series));
  constexpr std::size_t shown = 10;
  const bool more = names.size() > shown;
  if (more) names.resize(shown);
  return fmt::format("{} series could not be decided, and wait for the next night: {}{}", leftovers.size(),
                     join(names, ", "), more ? ", ..." : "");
}

Status work_through(Desk& desk, const ChosenNight& chosen, const model::Night& night) {
  TBCI_ASSIGN(const Comparison builds, install(desk, chosen));
  // Once the verdicts stand they are not looked for again, even if the machine has changed since.
  if (night.stage != Stage::bisect && night.stage != Stage::report) {
    ComparisonPlan plan{.key = night.name, .builds = builds, .cases = {}};
    TBCI_ASSIGN(plan.cases, wanted_cases(desk, builds.after.product));
    TBCI_ASSIGN(const auto screened, measure(desk, night, plan));
    TBCI_TRY(confirm(desk, night, plan, screened));
  }
  TBCI_ASSIGN(const auto searched, bisect(desk, night, builds));
  const model::Build both[] = {builds.before, builds.after};
  TBCI_ASSIGN(const auto environment, environment_of(desk, both));
  TBCI_TRY(report(desk, night, searched, environment.fingerprint()));
  TBCI_ASSIGN(const std::string note, left_over_text(desk, night));
  return desk.stores.nights.finish(night.id, Stage::done, note, desk.clock.now());
}

// What failed for good may have failed through a fault of this machine: a person may ask for another try.
Status forget_failures(Desk& desk, const ChosenNight& chosen) {
  for (const model::Nightly* nightly : {&chosen.baseline, &chosen.nightly}) {
    TBCI_ASSIGN(const auto build, desk.stores.builds.find(desk.name(), model::BuildKind::nightly, nightly->name));
    if (build && build->state == model::BuildState::failed) TBCI_TRY(desk.stores.builds.forget(build->id));
  }
  return {};
}

}  // namespace

Result<NightResult> check_night(Desk& desk, const NightChoice& choice) {
  TBCI_ASSIGN(const ChosenNight chosen, choose_night(desk, choice));
  const storage::NightPlan plan{.subject = desk.name(), .name = chosen.nightly.name, .baseline = chosen.baseline.name};
  TBCI_ASSIGN(const model::Night night, desk.stores.nights.begin(plan, desk.clock.now()));
  const bool again = choice.retry && night.stage == Stage::failed;
  if (night.finished && !again) return result_of(desk, night.id, true);
  if (again) {
    TBCI_TRY(forget_failures(desk, chosen));
    TBCI_TRY(desk.stores.nights.enter(night.id, Stage::install, "tried again"));
  }
  const Status status = work_through(desk, chosen, night);
  if (!status && status.error().kind == ErrorKind::failed) {
    // The nightly is at fault, and will be the next time: the night is over.
    TBCI_TRY(
        desk.stores.nights.finish(night.id, Stage::failed, one_line(status.error().message, 500), desk.clock.now()));
  }
  if (!status) return fail(status.error(), fmt::format("{} {}", desk.name(), night.name));
  return result_of(desk, night.id, false);
}

}  // namespace tbci::daemon
