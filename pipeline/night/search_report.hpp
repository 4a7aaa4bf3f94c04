// The report of a search that a person asked for. It is shown or written to a file, and never filed.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"
#include "storage/model/report.hpp"

namespace tbci::pipeline {

/// Drafted as for a night, of all answers together; nullopt where the search has none. `findings`: what comparing the
/// ends said of the series; one that was not compared has the change that its answer has. Profiles the culprit beside
/// its parent where it slowed something.
Result<std::optional<model::Report>> draft_search_report(SubjectContext& context, const model::Bisection& bisection,
                                                         const std::vector<model::Finding>& findings);

}  // namespace tbci::pipeline
