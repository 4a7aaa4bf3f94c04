// Reads what a build of a commit is made from besides its sources: [subject.source.requirements], and where there is
// one already: [subject.source.ready].
#pragma once

#include "runner/subject.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// Refuses files that lead out of the repository, and packages that are none.
void read_requirements(TomlReader reader, runner::RequirementSettings& requirements);

/// Refuses addresses without `{commit}`, those that anybody on the way could change, and what would be a secret.
void read_ready(TomlReader reader, runner::ReadySettings& ready);

}  // namespace tbci::settings
