// What one night could not judge, kept for the next one.
#pragma once

#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/retest.hpp"

namespace tbci::pipeline {

/// The numbers that the last finished night before `tonight` queued. Where the machine has changed tonight, without the
/// pairs.
Result<std::vector<detect::Candidate>> queued_candidates(SubjectContext& context, const model::Night& tonight);

/// Keeps the series that tonight's outcomes leave without a verdict, and notes how many there are. Replaces all that
/// tonight queued before.
Status queue_retests(SubjectContext& context, const model::Night& tonight,
                     const std::vector<detect::TestedCandidate>& outcomes);

/// A night that cannot measure anything passes on the numbers that the one before it queued.
Status keep_retests(SubjectContext& context, const model::Night& tonight);

/// The breaks that the last finished night before `tonight` queued: series of the metric `outcome`, without pairs.
Result<std::vector<model::QueuedRetest>> queued_breaks(SubjectContext& context, const model::Night& tonight);

/// Queues breaks beside tonight's numbers, in place of those that tonight queued before.
Status queue_breaks(SubjectContext& context, const model::Night& tonight,
                    const std::vector<model::QueuedRetest>& breaks);

}  // namespace tbci::pipeline
