// Reads parts of [subject.source]: what its mirror has, and what a build needs besides its sources.
#pragma once

#include <string>
#include <vector>

#include "runner/subject.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// The branches and tags that the mirror has; empty: all. Refuses what is neither.
std::vector<std::string> read_refs(TomlReader& reader);

/// Refuses files that lead out of the repository, and packages that are none.
void read_requirements(TomlReader reader, runner::RequirementSettings& requirements);

}  // namespace tbci::settings
