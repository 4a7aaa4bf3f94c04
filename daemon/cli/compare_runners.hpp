// `tbci compare --build B --runners R1,R2`.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/selection.hpp"

namespace tbci::daemon {

struct RunnersChoice {
  const Selection& selection;
  const std::string& build;
  const std::vector<std::string>& runners;
};

/// Prints what the runners measured of the build, side by side. Reads the database beside a service that runs. Errors
/// as those of pipeline::compare_runners.
Result<ExitCode> compare_runners(const Invocation& invocation, const RunnersChoice& choice);

}  // namespace tbci::daemon
