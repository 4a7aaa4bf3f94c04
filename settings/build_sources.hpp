// Reads what a build of a commit is made from besides its sources: [subject.source.requirements].
#pragma once

#include "runner/subject.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Refuses files that lead out of the repository, and packages that are none.
void read_requirements(TomlReader reader, runner::RequirementSettings& requirements);

}  // namespace tbci::settings
