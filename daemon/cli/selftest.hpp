// The subcommands of `tbci selftest`: each in a file of its own.
#pragma once

#include "daemon/cli/application.hpp"

namespace tbci::daemon {

void add_selftest_detection(CLI::App& selftest, Invocation& invocation);

}  // namespace tbci::daemon
