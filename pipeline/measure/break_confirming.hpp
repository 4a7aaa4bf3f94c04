// The confirmation of breaks: cases that ran on the old build and fail on the new one, by fresh pairs of processes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/breaks.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/screening.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

model::Series series_of_break(const model::Case& measured);

/// One trial, or none where the process says nothing about its build (a full disk).
detect::Trials trials_of(const storage::NightlyOutcome& outcome);

/// What the screen's processes of a case say; of one that was looked at twice, all of them.
struct ScreenedTrials {
  std::string old_build;
  detect::Trials before, after;
};
std::map<model::Case, ScreenedTrials> trials_of(const Screen& screen);
/// Whether the new build fails often enough to be looked at more closely.
bool looks_broken(const ScreenedTrials& seen);

struct ConfirmedBreak {
  model::Finding finding;
  bool looked = false;    ///< whether there was time enough for a verdict
  bool troubled = false;  ///< no verdict: too many processes failed because of the machine
};
/// Pairs in this run until the break is confirmed or cleared. What the pairs confirm is clear all the same where, by
/// all processes that this runner measured of the two builds, the old one fails as the new one does. `until`: no pair
/// is begun after that. What says nothing about a build (a full disk) does not count.
Result<ConfirmedBreak> confirm_break(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                     const model::Case& measured, std::optional<TimePoint> until);

/// Confirms what looks broken in the screen of a comparison by hand. One finding for each such case.
Result<std::vector<model::Finding>> confirm_breaks(SubjectContext& context, const ComparisonPlan& plan,
                                                   const Screen& screen);

/// The first process of the build, in the runs of this key, that failed because of the case itself.
Result<std::optional<model::Measurement>> first_failure_in(SubjectContext& context, const std::string& key,
                                                           const model::Build& build, const model::Case& measured);

}  // namespace tbci::pipeline
