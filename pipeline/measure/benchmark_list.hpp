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

/// The same by a build that is there already, before an hour goes into one that is not. Says nothing where there is
/// none, or where it can't list all its suites: the builds that are made then will tell.
Status check_names_early(SubjectContext& context, const std::vector<std::string>& names);

}  // namespace tbci::pipeline
