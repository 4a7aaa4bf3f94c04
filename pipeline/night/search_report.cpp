#include "pipeline/night/search_report.hpp"

#include <algorithm>

#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/night/culprit_evidence.hpp"
#include "pipeline/night/reporting.hpp"

namespace tbci::pipeline {

namespace {

model::Finding finding_of(const model::Answer& answer, const std::vector<model::Finding>& findings) {
  const auto measured = std::ranges::find(findings, answer.series, &model::Finding::series);
  if (measured != findings.end()) return *measured;
  model::Finding finding;
  finding.series = answer.series;
  finding.change = answer.change;
  finding.low = answer.low;
  finding.high = answer.high;
  // The share of processes that fail from the culprit on; before it the case runs.
  if (answer.series.metric == model::Metric::outcome) finding.after = answer.change;
  return finding;
}

model::Regression regression_of(const model::Answer& answer, const std::vector<model::Finding>& findings) {
  model::Regression regression;
  regression.finding = finding_of(answer, findings);
  regression.suspects = answer.suspects;
  regression.reason = answer.reason;
  return regression;
}

Result<std::string> environment_of_ends(SubjectContext& context, const model::Bisection& bisection) {
  TBCI_ASSIGN(const model::Build from, build_commit(context, bisection.from));
  TBCI_ASSIGN(const model::Build to, build_commit(context, bisection.to));
  const model::Build both[] = {from, to};
  TBCI_ASSIGN(const auto environment, environment_of(context, both));
  return context.stores.runs.remember(environment, context.clock.now());
}

}  // namespace

Result<std::optional<model::Report>> draft_search_report(SubjectContext& context, const model::Bisection& bisection,
                                                         const std::vector<model::Finding>& findings) {
  ReportGroup group;
  for (const model::Answer& answer : bisection.answers) group.regressions.push_back(regression_of(answer, findings));
  if (group.regressions.empty()) return std::optional<model::Report>{};
  group.suspects = group.regressions.front().suspects;
  TBCI_TRY(add_culprit_evidence(context, &bisection, group));
  TBCI_ASSIGN(const std::string environment, environment_of_ends(context, bisection));
  TBCI_ASSIGN(
      model::Report report,
      draft_report(context, {.night = "", .baseline = "", .bisection = &bisection, .environment = environment}, group));
  return std::optional(std::move(report));
}

}  // namespace tbci::pipeline
