// `tbci nightly remove`, `pin` and `unpin`: what a person wants on the disk, and what not.
#pragma once

#include "daemon/cli/application.hpp"

namespace tbci::daemon {

/// Adds the three to `tbci nightly`.
void add_nightly_keep(CLI::App& nightly, Invocation& invocation);

}  // namespace tbci::daemon
