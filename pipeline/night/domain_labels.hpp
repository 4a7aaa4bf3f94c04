// Labels of a report by what the models that it is about are for.
#pragma once

#include <string>
#include <vector>

#include "pipeline/night/reporting.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// As `[report.github.domain_labels]` has them for the domains of these regressions' benchmarks, each once. Asks the
/// suite of a build for the domains; where it cannot be asked there are none, and the progress says why.
Result<std::vector<std::string>> domain_labels(SubjectContext& context, const ReportContext& report_context,
                                               const std::vector<model::Regression>& regressions);

}  // namespace tbci::pipeline
