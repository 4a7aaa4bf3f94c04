// The table [runner] of the configuration file.
#pragma once

#include "settings/config.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Its name, and the variables of its workers. Refuses a variable that tbci sets itself, that would change what is
/// measured and not on what, and one whose name sounds like a secret: all of them are kept in the database.
void read_runner(TomlReader& reader, RunnerConfig& runner);

}  // namespace tbci::settings
