#include "pipeline/night/culprit_evidence.hpp"

#include "base/text.hpp"
#include "detect/timeline/step.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/profiling.hpp"
#include "pipeline/measure/recorded_comparison.hpp"

namespace tbci::pipeline {

namespace {

const model::Regression* worst_in_time(const std::vector<model::Regression>& regressions,
                                       const std::vector<std::string>& suspects) {
  const model::Regression* worst = nullptr;
  for (const model::Regression& regression : regressions) {
    if (regression.finding.series.metric != model::Metric::time || regression.suspects != suspects) continue;
    if (worst == nullptr || regression.finding.change > worst->finding.change) worst = &regression;
  }
  return worst;
}

// Nothing where one of the two cannot be built: then there is no step between them that was measured.
Result<std::optional<Comparison>> culprit_and_parent(SubjectContext& context, const model::Bisection& bisection,
                                                     const std::string& culprit) {
  TBCI_ASSIGN(const auto commits, context.machine.commits_between(bisection.from, bisection.to, context.stop));
  const auto parent = built_parent(commits, culprit);
  if (!parent) return std::nullopt;
  Comparison builds;
  TBCI_ASSIGN(builds.before, build_commit(context, *parent));
  TBCI_ASSIGN(builds.after, build_commit(context, culprit));
  const auto ready = [](const model::Build& build) { return build.state == model::BuildState::ready; };
  return ready(builds.before) && ready(builds.after) ? std::optional(std::move(builds)) : std::nullopt;
}

Status add_operators(SubjectContext& context, const Comparison& builds, const model::Case& measured,
                     ReportGroup& group) {
  context.progress.begin_stage("profile", fmt::format("{} at {}", to_string(measured), builds.after.name.substr(0, 10)),
                               ProfiledProcesses().at_least);
  auto compared = compare_operators(context, builds, measured);
  if (compared) {
    context.progress.end_stage(fmt::format("{} operators changed", compared->changed.size()));
    group.operators = std::move(*compared);
    return {};
  }
  if (!costs_the_case_alone(compared.error())) return pass_on(compared.error());
  context.progress.note(
      fmt::format("{} cannot be profiled: {}", to_string(measured), one_line(compared.error().message)));
  context.progress.end_stage("none");
  return {};
}

github::AddedHints words_of(const RecordedComparison& compared) {
  github::AddedHints added{.measured = compared.measured, .recordings = compared.recordings, .hints = {}};
  for (const detect::AddedHint& one : compared.added) {
    added.hints.push_back({.kind = std::string(to_string(one.hint.kind)),
                           .name = place_of(one.hint),
                           .calls = one.hint.calls,
                           .calls_before = one.calls_before,
                           .gain = one.hint.gain,
                           .what_to_try = what_to_try(one.hint)});
  }
  return added;
}

Status add_hints(SubjectContext& context, const Comparison& builds, const model::Case& measured, ReportGroup& group) {
  context.progress.begin_stage("hints", fmt::format("{} at {}", to_string(measured), builds.after.name.substr(0, 10)),
                               recordings_of_each);
  const auto compared = compare_recordings(context, builds, measured);
  if (compared) {
    context.progress.end_stage(counted(compared->added.size(), "new hint"));
    if (!compared->added.empty()) group.hints = words_of(*compared);
    // A step that the recordings hardly show is not taken apart.
    if (compared->step &&
        compared->step->difference() >= detect::StepThresholds().least_cause * compared->step->before) {
      group.step = compared->step;
      keep_cause(*group.step, true);
    }
    return {};
  }
  if (!costs_the_case_alone(compared.error())) return pass_on(compared.error());
  context.progress.note(fmt::format("{} has no hints: {}", to_string(measured), one_line(compared.error().message)));
  context.progress.end_stage("none");
  return {};
}

}  // namespace

Status add_culprit_evidence(SubjectContext& context, const model::Bisection* bisection, ReportGroup& group) {
  const std::vector<std::string> suspects = group.regressions.front().suspects;
  const model::Regression* worst = worst_in_time(group.regressions, suspects);
  if (bisection == nullptr || suspects.size() != 1 || worst == nullptr) return {};
  TBCI_ASSIGN(const auto builds, culprit_and_parent(context, *bisection, suspects.front()));
  if (!builds) return {};
  const model::Case measured = worst->finding.series.measured_case();
  TBCI_TRY(add_operators(context, *builds, measured, group));
  return add_hints(context, *builds, measured, group);
}

}  // namespace tbci::pipeline
