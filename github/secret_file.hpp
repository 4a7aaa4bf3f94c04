// Files that hold a secret. A file that other users can read holds none any more, so it is not used.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::github {

/// The text of a regular file that other users cannot access. `what` names it in errors, which never hold its text:
/// `token file`. Errors (machine).
Result<std::string> read_secret_file(const std::filesystem::path& path, std::string_view what);

/// The single word in a token file. Errors (machine).
Result<std::string> read_token(const std::filesystem::path& path);

}  // namespace tbci::github
