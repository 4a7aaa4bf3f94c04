// What a report says, read from the store and from the repository. How it says so is github/report.hpp.
#pragma once

#include "github/report.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

struct ReportContext;
struct ReportGroup;

/// The facts of a group of regressions that share their suspects (pipeline/night/reporting.hpp). Writes nothing.
Result<github::ReportFacts> report_facts(SubjectContext& context, const ReportContext& report_context,
                                         const ReportGroup& group);

}  // namespace tbci::pipeline
