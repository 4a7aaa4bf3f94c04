// `tbci bisect --dry-run`: which commits a search would look at, and what it would cost.
#pragma once

#include <string>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::daemon {

/// Prints the commits with their classes and priors by path, the number of builds in the worst case, and an estimate of
/// their time from earlier builds of the subject. Builds and measures nothing.
Result<ExitCode> show_bisect_plan(pipeline::SubjectContext& context, const Invocation& invocation,
                                  const std::string& from, const std::string& to);

}  // namespace tbci::daemon
