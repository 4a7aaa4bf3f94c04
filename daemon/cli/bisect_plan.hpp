// `tbci bisect --dry-run`: what a search would look at, and what it would cost.
#pragma once

#include <string>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::daemon {

/// Prints the commits with their classes and priors by path, the builds at worst, and the time they would take by what
/// earlier builds of the subject took. Builds and measures nothing.
Result<int> show_bisect_plan(pipeline::SubjectContext& context, const Invocation& invocation, const std::string& from,
                             const std::string& to);

}  // namespace tbci::daemon
