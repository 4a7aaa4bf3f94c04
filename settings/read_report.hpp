// Reads [report] of a configuration: who gets the reports, and how.
#pragma once

#include "settings/config.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Leaves what is not there as it is. Errors are the reader's.
void read_report(TomlReader reader, ReportConfig& report);

}  // namespace tbci::settings
