// After a search that a person asked for: which of tonight's culprits goes on with which report.
#pragma once

#include <vector>

#include "pipeline/night/reporting.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Each report goes on with one group, that which is most about its culprit, and each group with one report at most:
/// its regressions belong to it from now on. Those of other groups leave their report, and one that none is left in is
/// over, with a note that says where they are. In one transaction; where no regression has a report it does nothing.
Status assign_reports(SubjectContext& context, std::vector<ReportGroup>& groups);

}  // namespace tbci::pipeline
