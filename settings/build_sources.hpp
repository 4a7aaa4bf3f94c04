// Reads parts of [subject.source]: what its mirror has, what a build needs besides its sources, and where there is one
// already.
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

/// Refuses addresses without `{commit}`, those that anybody on the way could change, and what would be a secret.
void read_ready(TomlReader reader, runner::ReadySettings& ready);

}  // namespace tbci::settings
