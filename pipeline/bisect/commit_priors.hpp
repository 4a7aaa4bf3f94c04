// How likely each commit of a day is the culprit before anything between the ends is built: by the operators that take
// longer at the bad end, and by the paths that each commit touches.
#pragma once

#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::pipeline {

/// Fresh processes of each end that look for slower operators: fewer than a report takes, as a wrong prior costs builds
/// and never the answer.
inline constexpr int weighing_processes = 3;
/// Cases that are profiled, in the order of the series; those after them have the paths alone.
inline constexpr int most_weighed_cases = 6;

/// What a search weighs its commits by: as `[bisect] priors` says, or what costs no measurement.
enum class Knowledge { as_configured, paths_alone };

/// A prior for each commit and series, as `[bisect] priors` asks for; empty where all are alike. What was weighed once
/// is kept with the bisection and comes back. Where a source of knowledge fails (no profile, no such file), a note says
/// so and the others are used.
Result<storage::SeriesPriors> commit_priors(SubjectContext& context, const model::Bisection& bisection,
                                            const std::vector<model::Commit>& commits,
                                            Knowledge knowledge = Knowledge::as_configured);

/// By the paths that they touch alone, which needs no build: for a plan. As above where nothing is known.
Result<std::vector<model::CommitPrior>> path_priors(SubjectContext& context, const std::vector<model::Commit>& commits);

/// Says in each step of an answer how likely its suspects were before.
void put_priors(const storage::SeriesPriors& priors, const std::vector<model::Commit>& commits,
                std::vector<model::Answer>& answers);

}  // namespace tbci::pipeline
