// The scheduler logs every try that fails, and simulated years have thousands of them.
#pragma once

namespace tbci::thousand {

/// Drops all lines of the log, of any level. Before threads start.
void silence_log();

}  // namespace tbci::thousand
