// Reads which files of a commit are laid over a build: `laid_over` and `laid_over_from` in [subject.source].
#pragma once

#include "runner/subject.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

/// After `compiled` and the product, which it must fit.
void read_laid_over(TomlReader& reader, runner::SourceSettings& source);

}  // namespace tbci::settings
