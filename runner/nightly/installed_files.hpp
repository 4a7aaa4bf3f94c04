// Whether an installation put on the disk what the lists of its wheels say.
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace tbci::runner {

/// Reads the RECORD of each package in `packages` (`lib/python3.11/site-packages` of a virtual environment): each file
/// that it lists must be there, an ordinary file inside `environment`, with the SHA-256 that the wheel names. Without
/// one are RECORD itself and the bytecode that pip makes. And each file in `packages` must be listed. Error (failed)
/// names the file and the package; RECORDs are hostile. Error (machine) where a file that is there cannot be read: that
/// says nothing of the wheel. Reads everything: a second or two for each GB.
Status check_installed_files(const std::filesystem::path& environment, const std::filesystem::path& packages);

}  // namespace tbci::runner
