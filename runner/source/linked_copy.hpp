// A copy of a folder that takes no space for its files.
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace tbci::runner {

/// Gives each file below `from` a second name below `to`, which must not exist: both are one file, so neither may be
/// written, only replaced. Folders are made, links are copied as links. Error (failed) for anything else, and where a
/// file cannot have another name.
Status copy_by_links(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tbci::runner
