// What is recorded of a culprit and its parent before a report is written: operators that changed, hints that it added.
// The verdict stands without it: a case that cannot be recorded keeps no report back.
#pragma once

#include "pipeline/night/reporting.hpp"

namespace tbci::pipeline {

/// Sets the operators and the hints of a group, of the case that the culprit slowed most. Leaves them as they are where
/// there is no single culprit out of a search, where no time got worse, or where one of the two has no build. What
/// cannot be recorded is a note. Errors are those of the database and the machine, and that the work was stopped.
Status add_culprit_evidence(SubjectContext& context, const model::Bisection* bisection, ReportGroup& group);

}  // namespace tbci::pipeline
