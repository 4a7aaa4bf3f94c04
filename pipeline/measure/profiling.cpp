#include "pipeline/measure/profiling.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bisect/commit_classes.hpp"
#include "detect/operators.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

// The `ordinal`-th profile of a case on a build in a run: the stored one, or taken now and stored.
Result<model::OperatorProfile> profile_once(SubjectContext& context, const model::Run& run, const model::Build& build,
                                            const model::Case& measured, int ordinal) {
  TBCI_ASSIGN(auto stored, context.stores.profiles.profiles(run.id, build.id, measured));
  for (model::PlacedProfile& placed : stored) {
    if (placed.place.ordinal == ordinal) return std::move(placed.profile);
  }
  TBCI_ASSIGN(model::OperatorProfile fresh, context.machine.profile(build.product, measured, context.stop));
  TBCI_TRY(context.stores.profiles.add({.run_id = run.id, .build_id = build.id, .ordinal = ordinal}, fresh));
  return fresh;
}

Result<model::Run> profiling_run(SubjectContext& context, const Comparison& builds) {
  const std::string key = model::run_keys::operators(builds.before.id, builds.after.id);
  const model::Build both[] = {builds.before, builds.after};
  return begin_run(context, key, model::Purpose::manual, both);
}

}  // namespace

bool costs_the_case_alone(const Error& error) {
  return error.kind == ErrorKind::failed || error.kind == ErrorKind::usage;
}

std::optional<std::string> built_parent(const std::vector<model::Commit>& commits, const std::string& culprit) {
  const auto classes = bisect::classes_of(commits);
  for (std::size_t at = 1; at < classes.size(); ++at) {
    if (commits[classes[at].commits.front()].id == culprit) return commits[classes[at - 1].commits.front()].id;
  }
  return std::nullopt;
}

Result<model::OperatorComparison> compare_operators(SubjectContext& context, const Comparison& builds,
                                                    const model::Case& measured, const ProfiledProcesses& processes) {
  TBCI_ASSIGN(const model::Run run, profiling_run(context, builds));
  std::vector<model::OperatorProfile> before, after;
  for (int ordinal = 0;; ++ordinal) {
    context.progress.step(fmt::format("profile {}, pair {}", to_string(measured), ordinal + 1));
    TBCI_ASSIGN(auto old_profile, profile_once(context, run, builds.before, measured, ordinal));
    TBCI_ASSIGN(auto new_profile, profile_once(context, run, builds.after, measured, ordinal));
    before.push_back(std::move(old_profile));
    after.push_back(std::move(new_profile));
    if (ordinal + 1 < processes.at_least) continue;
    auto compared = detect::compare_operators(before, after);
    if (ordinal + 1 >= processes.at_most || detect::explains_difference(compared)) return compared;
  }
}

Result<model::OperatorProfile> profile_old_build(SubjectContext& context, const Comparison& builds,
                                                 const model::Case& measured) {
  TBCI_ASSIGN(const model::Run run, profiling_run(context, builds));
  return profile_once(context, run, builds.before, measured, 0);
}

Result<ProfiledCases> compare_operators_of(SubjectContext& context, const Comparison& builds,
                                           const std::vector<model::Finding>& findings) {
  std::vector<model::Case> cases;
  for (const model::Finding& finding : findings) {
    const bool timed = finding.series.metric == model::Metric::time && finding.before > 0 && finding.after > 0;
    if (timed) cases.push_back(finding.series.measured_case());
  }
  context.progress.begin_stage("profile", fmt::format("{} cases", cases.size()),
                               static_cast<int>(cases.size()) * ProfiledProcesses().at_least);
  ProfiledCases all;
  for (const model::Case& measured : cases) {
    auto compared = compare_operators(context, builds, measured);
    if (compared) {
      all.compared.push_back(std::move(*compared));
    } else if (costs_the_case_alone(compared.error())) {
      all.unprofiled.push_back({.measured = measured, .reason = compared.error().message});
    } else {
      return pass_on(compared.error());
    }
  }
  context.progress.end_stage("done");
  return all;
}

}  // namespace tbci::pipeline
