// Profiles that are kept, and what they say of two builds: which operators changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/profile.hpp"

namespace tbci::pipeline {

/// Fresh processes of each build that a comparison takes: more than `at_least` only while the operators that changed do
/// not explain the difference of the iterations (detect::explains_difference), as on a machine that is busy.
struct ProfiledProcesses {
  int at_least = 5;
  int at_most = 15;
};

/// Whether a case alone is at fault that it could not be profiled or recorded. Any other error ends the work.
bool costs_the_case_alone(const Error& error);

/// Profiles a case on both builds, in turn, each time in a fresh process. What is stored of these two builds on this
/// machine is not taken again. Progress hears of each pair. Errors: `failed` where a profile could not be taken.
Result<model::OperatorComparison> compare_operators(SubjectContext& context, const Comparison& builds,
                                                    const model::Case& measured,
                                                    const ProfiledProcesses& processes = {});

/// A profile of the old build alone: the first of those that compare_operators takes. Errors: as of that.
Result<model::OperatorProfile> profile_old_build(SubjectContext& context, const Comparison& builds,
                                                 const model::Case& measured);

/// The operators of each case that has times on both builds, and why a case has none.
struct ProfiledCases {
  struct Unprofiled {
    model::Case measured;
    std::string reason;
  };
  std::vector<model::OperatorComparison> compared;
  std::vector<Unprofiled> unprofiled;
};
/// Of what a comparison found, in its order. A case that cannot be profiled does not stop the others.
Result<ProfiledCases> compare_operators_of(SubjectContext& context, const Comparison& builds,
                                           const std::vector<model::Finding>& findings);

/// The commit that stands for what was built before the culprit: the search held the culprit against it, so both are
/// built. Commits that change nothing that is compiled have no build of their own. Nothing: not in that history. Pure.
std::optional<std::string> built_parent(const std::vector<model::Commit>& commits, const std::string& culprit);

}  // namespace tbci::pipeline
