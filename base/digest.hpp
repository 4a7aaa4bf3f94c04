// Digests of files too large to be read whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace tbci {

/// SHA-256 of a file's contents as 64 hexadecimal digits. Error (machine) where it cannot be read to its end, is
/// not an ordinary file, or is larger than `most_bytes` (a file full of holes reads as zeros without end).
Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   std::uint64_t most_bytes = std::uint64_t{16} << 30);

}  // namespace tbci
