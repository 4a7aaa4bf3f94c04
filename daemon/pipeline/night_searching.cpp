#include "daemon/pipeline/night_searching.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/pipeline/bisecting.hpp"
#include "daemon/pipeline/building.hpp"
#include "daemon/pipeline/further_steps.hpp"

namespace tbci::daemon {

namespace {

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

// The other commits that made a series so much worse that each is worth an issue of its own.
Status add_further_steps(Desk& desk, const model::Regression& largest, const model::Answer& answer,
                         Searched& searched) {
  int number = 0;
  const auto thresholds = desk.config.thresholds.for_series(answer.series);
  for (const FurtherStep& step : further_steps(largest.finding, answer, thresholds)) {
    TBCI_ASSIGN(model::Regression regression,
                desk.stores.nights.add_regression(largest.night_id, step.finding, largest.old_build, ++number));
    regression.bisection_id = largest.bisection_id;
    regression.suspects = step.suspects;
    regression.reason = step.reason;
    regression.state = model::RegressionState::attributed;
    TBCI_TRY(desk.stores.nights.update(regression));
    searched.regressions.push_back(regression.id);
  }
  return {};
}

Status take_answers(Desk& desk, const model::Night& night, const model::Bisection& bisection, Searched& searched) {
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
      TBCI_TRY(add_further_steps(desk, regression, *answer, searched));
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
  TBCI_TRY(take_answers(desk, night, *found, searched));
  searched.bisection = std::move(*found);
  return {};
}

}  // namespace

Result<std::vector<model::Regression>> regressions_of(Desk& desk, const Searched& searched) {
  std::vector<model::Regression> regressions;
  for (const std::int64_t id : searched.regressions) {
    TBCI_ASSIGN(model::Regression regression, desk.stores.nights.regression(id));
    regressions.push_back(std::move(regression));
  }
  return regressions;
}

Result<std::vector<Searched>> search_night(Desk& desk, const model::Night& night, const Comparison& builds) {
  TBCI_ASSIGN(auto all, by_old_build(desk, night, builds));
  for (Searched& searched : all) TBCI_TRY(search(desk, night, builds, searched));
  return all;
}

}  // namespace tbci::daemon
