// Files that hold a secret. A file that other users can read holds none any more, so it is not used.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::github {

/// The text of a regular file that other users cannot access. `what` names it in errors, which never hold its text:
/// `token file`, and `section` the place in the configuration where a missing one is named. Errors (machine).
Result<std::string> read_secret_file(const std::filesystem::path& path, std::string_view what,
                                     std::string_view section = "report.github");

/// The single word in such a file, as a token or a webhook's secret. Errors (machine).
Result<std::string> read_word(const std::filesystem::path& path, std::string_view what,
                              std::string_view section = "report.github");
inline Result<std::string> read_token(const std::filesystem::path& path) {
  return read_word(path, "token file");
}

}  // namespace tbci::github
