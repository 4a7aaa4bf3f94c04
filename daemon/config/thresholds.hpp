// Reads [thresholds] and what [[thresholds.for]] changes for some series.
#pragma once

#include "daemon/config/toml_reader.hpp"
#include "detect/threshold_table.hpp"

namespace tbci::daemon {

/// What is wrong is recorded at the reader, with its line.
detect::ThresholdTable read_thresholds(TomlReader reader);

}  // namespace tbci::daemon
