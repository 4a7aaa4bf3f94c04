// After a search that a person asked for: which of tonight's culprits goes on with which report.
#pragma once

#include <vector>

#include "pipeline/night/reporting.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Each report goes on with the group whose culprit is nearest to its own, and each group with one report at most: the
/// group's regressions belong to it from now on. Those of other groups leave their report. A report that has none left
/// is over, with a note that says so. In one transaction; where no regression has a report nothing changes.
Status assign_reports(SubjectContext& context, std::vector<ReportGroup>& groups);

}  // namespace tbci::pipeline
