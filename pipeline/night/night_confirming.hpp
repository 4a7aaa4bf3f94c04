// The confirmations of a night: tonight's suspects, what earlier nights left over, and what has crept.
#pragma once

#include <string>

#include "pipeline/measure/screening.hpp"

namespace tbci::pipeline {

/// Judges by interleaved pairs, the most pressing first, until the night's time is over. In one transaction it keeps
/// the findings, the regressions with the builds that they were confirmed against, and what is left over for the next
/// night.
Status confirm_night(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                     const Screen& screen);

/// Keeps a confirmed regression, or finds it again. One of a muted series is dismissed at once.
Status add_regression(SubjectContext& context, const model::Night& night, const model::Finding& finding,
                      const std::string& old_build);

}  // namespace tbci::pipeline
