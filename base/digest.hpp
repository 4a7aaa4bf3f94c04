// Digests of files too large to be read whole.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace tbci {

/// SHA-256 of a file's contents as 64 hexadecimal digits. Error (environment) where it cannot be read to its end, or is
/// no ordinary file.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace tbci
