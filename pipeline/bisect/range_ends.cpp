#include "pipeline/bisect/range_ends.hpp"

#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/comparing.hpp"

namespace tbci::pipeline {

Result<model::Build> built_end(SubjectContext& context, const std::string& commit) {
  context.progress.step("build " + commit.substr(0, 12));
  TBCI_ASSIGN(model::Build build, build_commit(context, commit));
  if (build.state == model::BuildState::failed) {
    return fail(ErrorKind::failed, "the end {} does not build: {}; choose a neighbouring commit", commit.substr(0, 12),
                build.failure);
  }
  return build;
}

Result<std::vector<model::Finding>> regressions_between(SubjectContext& context, const RangePlan& plan) {
  context.progress.begin_stage("build", "both ends", 2);
  ComparisonPlan comparison{.key = plan.key, .builds = {}, .cases = {}, .purpose = model::Purpose::manual};
  TBCI_ASSIGN(comparison.builds.before, built_end(context, plan.from));
  TBCI_ASSIGN(comparison.builds.after, built_end(context, plan.to));
  context.progress.end_stage("both are built");
  TBCI_ASSIGN(comparison.cases, wanted_cases(context, comparison.builds.after.product));
  TBCI_ASSIGN(auto findings, compare_builds(context, comparison, plan.metrics));
  std::erase_if(findings, [](const model::Finding& finding) { return finding.verdict != model::Verdict::regression; });
  return findings;
}

}  // namespace tbci::pipeline
