// Reads [thresholds] and what [[thresholds.for]] changes for some series.
#pragma once

#include "detect/threshold_table.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// What is wrong is recorded at the reader, with its line.
detect::ThresholdTable read_thresholds(TomlReader reader);

}  // namespace tbci::settings
