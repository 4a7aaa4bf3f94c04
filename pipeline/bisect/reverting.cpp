#include "pipeline/bisect/reverting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

struct Slowed {
  std::string culprit;
  std::vector<model::Series> series;
};

std::vector<Slowed> by_culprit(const model::Bisection& bisection) {
  std::vector<Slowed> all;
  for (const model::Answer& answer : bisection.answers) {
    for (const model::FoundStep& step : steps_of(answer)) {
      if (step.suspects.size() != 1 || step.repair) continue;
      auto known =
          std::find_if(all.begin(), all.end(), [&](const Slowed& one) { return one.culprit == step.suspects.front(); });
      if (known == all.end()) known = all.insert(known, {step.suspects.front(), {}});
      known->series.push_back(answer.series);
    }
  }
  return all;
}

Result<RevertCheck> check(SubjectContext& context, const model::Bisection& bisection, const Slowed& slowed) {
  RevertCheck result{slowed.culprit, "", "", {}};
  TBCI_ASSIGN(const runner::Reverted reverted, context.machine.revert(slowed.culprit, bisection.to, context.stop));
  if (reverted.commit.empty()) {
    result.reason = reverted.reason;
    return result;
  }
  context.progress.begin_stage("revert", slowed.culprit.substr(0, 10), 0);
  ComparisonPlan plan{.key = model::run_keys::revert(bisection.id, slowed.culprit), .builds = {}, .cases = {}};
  TBCI_ASSIGN(plan.builds.before, build_commit(context, bisection.to));
  TBCI_ASSIGN(plan.builds.after, build_commit(context, reverted.commit));
  if (plan.builds.after.state != model::BuildState::ready) {
    result.reason = "with the culprit reverted, the commit does not build: " + one_line(plan.builds.after.failure);
    context.progress.end_stage("does not build");
    return result;
  }
  context.progress.end_stage("it builds");
  result.commit = reverted.commit;
  Screen asked;
  for (const model::Series& series : slowed.series) {
    model::Finding finding;
    finding.series = series;
    finding.verdict = model::Verdict::suspect;
    asked.series.push_back({.finding = std::move(finding), .old_build = plan.builds.before.name, .pairs = {}});
    const model::Case measured = series.measured_case();
    if (std::find(plan.cases.begin(), plan.cases.end(), measured) == plan.cases.end()) plan.cases.push_back(measured);
  }
  TBCI_ASSIGN(result.findings, confirm_suspects(context, plan, asked));
  std::erase_if(result.findings, [&](const model::Finding& finding) {
    return std::find(slowed.series.begin(), slowed.series.end(), finding.series) == slowed.series.end();
  });
  return result;
}

std::string meaning(const model::Finding& finding) {
  switch (finding.verdict) {
    case model::Verdict::improvement:
      return "it was the culprit";
    case model::Verdict::regression:
      return "the revert makes it worse";
    case model::Verdict::clear:
      return "the revert changes it by less than the threshold";
    default:
      return "tbci cannot tell" + (finding.reason.empty() ? "" : ": " + one_line(finding.reason, 200));
  }
}

}  // namespace

Result<std::vector<RevertCheck>> verify_reverts(SubjectContext& context, const model::Bisection& bisection) {
  std::vector<RevertCheck> checks;
  for (const Slowed& slowed : by_culprit(bisection)) {
    TBCI_ASSIGN(RevertCheck one, check(context, bisection, slowed));
    checks.push_back(std::move(one));
  }
  return checks;
}

std::string lines_of(const std::vector<RevertCheck>& checks) {
  std::string text;
  for (const RevertCheck& check : checks) {
    const std::string culprit = check.culprit.substr(0, 12);
    if (check.commit.empty()) text += fmt::format("without {}: not measured: {}\n", culprit, check.reason);
    for (const model::Finding& finding : check.findings) {
      text += fmt::format("without {}: {} {} ({} .. {}): {}\n", culprit, to_string(finding.series),
                          human_change(finding.change), human_change(finding.low), human_change(finding.high),
                          meaning(finding));
    }
  }
  return text;
}

}  // namespace tbci::pipeline
