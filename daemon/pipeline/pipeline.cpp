#include "daemon/pipeline/pipeline.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/pipeline/bisecting.hpp"
#include "daemon/pipeline/building.hpp"
#include "daemon/pipeline/choosing.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "daemon/pipeline/measuring.hpp"
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

Result<std::vector<model::Finding>> measure(Desk& desk, const model::Night& night, const ComparisonPlan& plan) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::measure));
  TBCI_ASSIGN(auto screened, screen_builds(desk, plan));
  for (const model::Finding& finding : screened) {
    TBCI_TRY(desk.stores.nights.put_finding(night.id, storage::Phase::screen, finding));
  }
  return screened;
}

Status confirm(Desk& desk, const model::Night& night, const ComparisonPlan& plan,
               const std::vector<model::Finding>& screened) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::confirm));
  TBCI_ASSIGN(const auto confirmed, confirm_suspects(desk, plan, screened));
  const auto keep = [&]() -> Status {
    for (const model::Finding& finding : confirmed) {
      TBCI_TRY(desk.stores.nights.put_finding(night.id, storage::Phase::confirm, finding));
      if (finding.verdict == model::Verdict::regression) TBCI_TRY(desk.stores.nights.add_regression(night.id, finding));
    }
    return {};
  };
  return desk.stores.database.transaction(keep);
}

// Why there is nothing to bisect, where that is so.
std::string no_way_to_bisect(const Desk& desk, const Comparison& builds) {
  if (desk.subject.subject.source.repository.empty()) return "the subject names no repository to bisect";
  if (builds.before.product.commit.empty() || builds.after.product.commit.empty())
    return "a nightly does not say which commit it was built from";
  if (builds.before.product.commit == builds.after.product.commit) {
    return fmt::format(
        "both nightlies are of commit {}: what changed is the packaging, or something that comes with it",
        builds.after.product.commit.substr(0, 12));
  }
  return {};
}

Status take_answers(Desk& desk, const model::Night& night, const model::Bisection& bisection) {
  return desk.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(auto regressions, desk.stores.nights.regressions(night.id));
    for (model::Regression& regression : regressions) {
      const auto answer = std::find_if(bisection.answers.begin(), bisection.answers.end(),
                                       [&](const auto& a) { return a.series == regression.finding.series; });
      if (answer == bisection.answers.end() || regression.report_id) continue;
      regression.bisection_id = bisection.id;
      regression.suspects = answer->suspects;
      regression.reason = answer->reason;
      regression.state =
          answer->suspects.empty() ? model::RegressionState::unattributed : model::RegressionState::attributed;
      TBCI_TRY(desk.stores.nights.update(regression));
    }
    return {};
  });
}

Status give_up(Desk& desk, std::vector<model::Regression> regressions, const std::string& reason) {
  for (model::Regression& regression : regressions) {
    if (regression.report_id) continue;
    regression.state = model::RegressionState::unattributed;
    regression.reason = reason;
    TBCI_TRY(desk.stores.nights.update(regression));
  }
  return {};
}

// Finds the culprits of the night's regressions; nothing where there is nothing to bisect.
Result<std::optional<model::Bisection>> bisect(Desk& desk, const model::Night& night, const Comparison& builds) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::bisect));
  TBCI_ASSIGN(const auto regressions, desk.stores.nights.regressions(night.id));
  if (regressions.empty()) return std::nullopt;
  const std::string obstacle = no_way_to_bisect(desk, builds);
  if (!obstacle.empty()) {
    TBCI_TRY(give_up(desk, regressions, obstacle));
    return std::nullopt;
  }
  SearchPlan plan{.key = "night/" + night.name,
                  .from = builds.before.product.commit,
                  .to = builds.after.product.commit,
                  .series = {}};
  for (model::Regression regression : regressions) {
    plan.series.push_back(regression.finding.series);
    if (regression.state != model::RegressionState::confirmed) continue;
    regression.state = model::RegressionState::bisecting;
    TBCI_TRY(desk.stores.nights.update(regression));
  }
  auto found = search_culprits(desk, plan);
  if (!found && found.error().kind == ErrorKind::usage) {  // history has no way from the one to the other
    TBCI_TRY(give_up(desk, regressions, found.error().message));
    return std::nullopt;
  }
  if (!found) return pass_on(found.error());
  TBCI_TRY(take_answers(desk, night, *found));
  return std::optional(std::move(*found));
}

Status report(Desk& desk, const model::Night& night, const std::optional<model::Bisection>& bisection,
              const std::string& environment) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::report));
  TBCI_ASSIGN(auto regressions, desk.stores.nights.regressions(night.id));
  const ReportContext context{.night = night.name,
                              .baseline = night.baseline,
                              .bisection = bisection ? &*bisection : nullptr,
                              .environment = environment};
  return file_reports(desk, context, std::move(regressions)).map([](const auto&) {});
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

Status work_through(Desk& desk, const ChosenNight& chosen, const model::Night& night) {
  TBCI_ASSIGN(const Comparison builds, install(desk, chosen));
  // Once the verdicts stand they are not looked for again, even if the machine has changed since.
  if (night.stage != Stage::bisect && night.stage != Stage::report) {
    ComparisonPlan plan{.key = night.name, .builds = builds, .cases = {}};
    TBCI_ASSIGN(plan.cases, wanted_cases(desk, builds.after.product));
    TBCI_ASSIGN(const auto screened, measure(desk, night, plan));
    TBCI_TRY(confirm(desk, night, plan, screened));
  }
  TBCI_ASSIGN(const auto bisection, bisect(desk, night, builds));
  const model::Build both[] = {builds.before, builds.after};
  TBCI_ASSIGN(const auto environment, environment_of(desk, both));
  TBCI_TRY(report(desk, night, bisection, environment.fingerprint()));
  return desk.stores.nights.finish(night.id, Stage::done, "", desk.clock.now());
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
