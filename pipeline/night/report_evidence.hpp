// What a report shows beside what was decided: where the suspects come from, the history of the worst series, both
// builds, and what changed on the machine. Nothing of it is needed for a report: what cannot be read is left out, and a
// note says so.
#pragma once

#include "github/report.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

struct ReportContext;

/// Adds it to facts that have their suspects, findings and operators. Errors are those of the database, and that the
/// work was stopped.
Status add_evidence(SubjectContext& context, const ReportContext& report_context, github::ReportFacts& facts);

}  // namespace tbci::pipeline
