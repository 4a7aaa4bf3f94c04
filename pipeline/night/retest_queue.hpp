// What one night could not decide, kept for the next one.
#pragma once

#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// What the last finished night before `tonight` left over. Where the machine has changed tonight, without the pairs.
Result<std::vector<detect::Candidate>> queued_candidates(SubjectContext& context, const model::Night& tonight);

/// Keeps what the outcomes of tonight leave over, and says how much that is.
Status queue_retests(SubjectContext& context, const model::Night& tonight,
                     const std::vector<detect::TestedCandidate>& outcomes);

/// A night that cannot measure anything passes on what the one before it queued.
Status keep_retests(SubjectContext& context, const model::Night& tonight);

}  // namespace tbci::pipeline
