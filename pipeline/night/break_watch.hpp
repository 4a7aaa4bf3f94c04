// Breaks: cases that ran on an older build and fail on tonight's, and suites that can no longer be listed. They are
// regressions of the metric `outcome`.
#pragma once

#include <optional>
#include <vector>

#include "detect/breaks.hpp"
#include "pipeline/measure/screening.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// What tonight's screen saw fail.
struct ScreenForBreaks {
  const Screen& screen;
  std::vector<model::Case> unlisted;  ///< the suites that cannot be listed on tonight's build
};

/// Ends the open breaks of cases that fail tonight and had worked for certain since (over_since): they broke again, by
/// something else, and confirm_breaks looks at that as at any other break.
Status end_repaired_breaks(SubjectContext& context, const model::Night& night, const ScreenForBreaks& seen);

/// Confirms what looks broken by fresh processes of the old build and of tonight's in turn, until the night's time for
/// confirmations is over, and keeps findings and regressions. A break that is known, and was not repaired since, is not
/// confirmed again. What says nothing about a build (a full disk) does not count.
Status confirm_breaks(SubjectContext& context, const model::Night& night, const Comparison& builds,
                      const ScreenForBreaks& seen);

/// Checks whether the breaks of earlier nights are repaired: they have recovered after three nights in a row on which
/// every process of the case ran. A break that only some processes show takes as many more as make chance unlikely.
Status watch_repairs(SubjectContext& context, const model::Night& night, const ScreenForBreaks& seen);

/// The first process of the night's build that showed a break, as the confirmation measured it.
Result<std::optional<model::Measurement>> first_failure(SubjectContext& context, const model::Regression& regression);

}  // namespace tbci::pipeline
