// Reads the suites of a subject's own: [[subject.suites]].
#pragma once

#include "runner/subject.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Reads all `[[subject.suites]]` of a subject; its other settings have been read. Refuses names that are taken,
/// unknown placeholders, and what a build that is not a LibTorch cannot have.
void read_command_suites(TomlReader& subject_reader, runner::Subject& subject);

}  // namespace tbci::settings
