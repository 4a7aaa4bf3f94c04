// Detects processes whose working directory is in a folder.
#pragma once

#include <filesystem>

namespace tbci::runner {

/// Whether a process has its working directory at or below `folder`. Compilers outlive a killed build tool and still
/// write there.
bool is_busy_directory(const std::filesystem::path& folder);

}  // namespace tbci::runner
