// Reads [thresholds] and what [[thresholds.for]] changes for some series.
#pragma once

#include "detect/threshold_table.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Records errors at the reader, with their line.
detect::ThresholdTable read_thresholds(TomlReader reader);

}  // namespace tbci::settings
