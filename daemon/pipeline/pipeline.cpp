#include "daemon/pipeline/pipeline.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "daemon/pipeline/anchoring.hpp"
#include "daemon/pipeline/bisecting.hpp"
#include "daemon/pipeline/building.hpp"
#include "daemon/pipeline/carrying.hpp"
#include "daemon/pipeline/choosing.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "daemon/pipeline/measuring.hpp"
#include "daemon/pipeline/night_screening.hpp"
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

// The builds that the questions name, ready to be measured.
Result<std::map<std::string, model::Build>> old_builds_of(Desk& desk, const ComparisonPlan& plan,
                                                          const std::vector<detect::Question>& questions) {
  std::map<std::string, model::Build> builds = {{plan.builds.before.name, plan.builds.before}};
  for (const detect::Question& question : questions) {
    if (builds.contains(question.old_build)) continue;
    auto build = build_named(desk, question.old_build);
    if (!build && build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
    if (build) builds.emplace(question.old_build, std::move(*build));
    if (!build)
      desk.progress.note(fmt::format("{} waits: {} cannot be measured ({})", to_string(question.series),
                                     question.old_build, one_line(build.error().message, 200)));
  }
  return builds;
}

// A series is asked for once a night: what was suspected of the last days comes before what has crept.
std::vector<detect::Question> tonights_questions(const std::vector<Screened>& screened,
                                                 const std::vector<detect::Question>& carried,
                                                 const std::optional<AnchorWatch>& anchor, const std::string& build) {
  std::vector<detect::Question> questions = detect::questions_of(screened, carried, build);
  if (!anchor) return questions;
  for (const detect::Question& crept : anchor->questions) {
    const bool there = std::any_of(questions.begin(), questions.end(),
                                   [&](const detect::Question& question) { return question.series == crept.series; });
    if (!there) questions.push_back(crept);
  }
  return questions;
}

Status keep_confirmation(Desk& desk, const model::Night& night, const std::optional<AnchorWatch>& anchor,
                         const Confirmation& confirmation) {
  return desk.stores.database.transaction([&]() -> Status {
    for (const model::Finding& finding : confirmation.findings)
      TBCI_TRY(desk.stores.nights.put_finding(night.id, storage::Phase::confirm, finding));
    for (const detect::Outcome& outcome : confirmation.outcomes) {
      if (!outcome.looked || outcome.finding.verdict != model::Verdict::regression) continue;
      TBCI_TRY(desk.stores.nights.add_regression(night.id, outcome.finding, outcome.question.old_build));
    }
    if (anchor) TBCI_TRY(keep_confirmations(desk, night, *anchor, confirmation.outcomes));
    return leave_over(desk, night, confirmation.outcomes);
  });
}

Status confirm(Desk& desk, const model::Night& night, const ComparisonPlan& plan,
               const std::vector<Screened>& screened) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::confirm));
  TBCI_ASSIGN(const auto carried, carried_questions(desk, night));
  TBCI_ASSIGN(const auto anchor, watch_anchor(desk, night, plan));
  const auto questions = tonights_questions(screened, carried, anchor, night.name);
  TBCI_ASSIGN(auto old_builds, old_builds_of(desk, plan, questions));
  if (anchor) old_builds.insert_or_assign(anchor->build.name, anchor->build);
  const ConfirmationPlan confirmation{.key = plan.key,
                                      .after = plan.builds.after,
                                      .old_builds = std::move(old_builds),
                                      .usual = plan.builds.before.name,
                                      .until = desk.clock.now() + desk.config.measure.confirm_limit};
  TBCI_ASSIGN(const Confirmation confirmed, confirm_questions(desk, confirmation, questions));
  return keep_confirmation(desk, night, anchor, confirmed);
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
      const bool ours = answer != bisection.answers.end() && regression.state == model::RegressionState::bisecting;
      if (!ours || regression.report_id) continue;
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

// Regressions that were confirmed against the same old build, and the search between that and tonight's.
struct Searched {
  Comparison builds;
  std::vector<std::int64_t> regressions;
  std::optional<model::Bisection> bisection;  // nothing where there was nothing to bisect
};

Result<std::vector<Searched>> by_old_build(Desk& desk, const model::Night& night, const Comparison& builds) {
  TBCI_ASSIGN(const auto regressions, desk.stores.nights.regressions(night.id));
  std::vector<Searched> all;
  for (const model::Regression& regression : regressions) {
    const std::string& name = regression.old_build.empty() ? builds.before.name : regression.old_build;
    auto known = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.builds.before.name == name; });
    if (known == all.end()) {
      model::Build old_build = builds.before;
      if (name != builds.before.name) {
        TBCI_ASSIGN(old_build, build_named(desk, name));
      }
      known = all.insert(known, {.builds = {std::move(old_build), builds.after}, .regressions = {}, .bisection = {}});
    }
    known->regressions.push_back(regression.id);
  }
  return all;
}

Result<std::vector<model::Regression>> regressions_of(Desk& desk, const Searched& searched) {
  std::vector<model::Regression> regressions;
  for (const std::int64_t id : searched.regressions) {
    TBCI_ASSIGN(model::Regression regression, desk.stores.nights.regression(id));
    regressions.push_back(std::move(regression));
  }
  return regressions;
}

// Finds the culprits of regressions against one old build.
Status search(Desk& desk, const model::Night& night, const Comparison& usual, Searched& searched) {
  TBCI_ASSIGN(const auto regressions, regressions_of(desk, searched));
  const std::string obstacle = no_way_to_bisect(desk, searched.builds);
  if (!obstacle.empty()) return give_up(desk, regressions, obstacle);
  const bool plain = searched.builds.before.name == usual.before.name;
  SearchPlan plan{.key = "night/" + night.name + (plain ? "" : "/" + searched.builds.before.name),
                  .from = searched.builds.before.product.commit,
                  .to = searched.builds.after.product.commit,
                  .series = {}};
  for (model::Regression regression : regressions) {
    plan.series.push_back(regression.finding.series);
    if (regression.state != model::RegressionState::confirmed) continue;
    regression.state = model::RegressionState::bisecting;
    TBCI_TRY(desk.stores.nights.update(regression));
  }
  auto found = search_culprits(desk, plan);
  if (!found && found.error().kind == ErrorKind::usage)  // history has no way from the one to the other
    return give_up(desk, regressions, found.error().message);
  if (!found) return pass_on(found.error());
  TBCI_TRY(take_answers(desk, night, *found));
  searched.bisection = std::move(*found);
  return {};
}

Result<std::vector<Searched>> bisect(Desk& desk, const model::Night& night, const Comparison& builds) {
  TBCI_TRY(desk.stores.nights.enter(night.id, Stage::bisect));
  TBCI_ASSIGN(auto all, by_old_build(desk, night, builds));
  for (Searched& searched : all) TBCI_TRY(search(desk, night, builds, searched));
  return all;
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
