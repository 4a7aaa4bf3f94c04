// Who works in a folder.
#pragma once

#include <filesystem>

namespace tbci::runner {

/// Whether a process has its working folder at or below `folder`. Compilers outlive a build tool that was killed, and
/// would still write there.
bool is_busy_directory(const std::filesystem::path& folder);

}  // namespace tbci::runner
