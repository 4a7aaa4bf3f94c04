// The benchmarks that the suites of a build have.
#pragma once

#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Those of all suites. Notes each suite that cannot be listed in the progress; only its benchmarks are missing.
Result<runner::Listing> listed_benchmarks(SubjectContext& context, const model::Product& product);

/// Error (usage) for the first of the names that is not listed: why its suite could not be listed, or the nearest name.
Status check_names(const runner::Listing& listing, const std::vector<std::string>& names);

/// The same with a build that is installed already, to find a wrong name before an hour goes into a new build. Checks
/// nothing if there is no such build, or if it cannot list all its suites: the new builds are checked later.
Status check_names_early(SubjectContext& context, const std::vector<std::string>& names);

}  // namespace tbci::pipeline
