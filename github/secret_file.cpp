#include "github/secret_file.hpp"

#include <algorithm>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t largest_secret_file_bytes = 64 << 10;

}  // namespace

Result<std::string> read_secret_file(const std::filesystem::path& path, std::string_view what,
                                     std::string_view section) {
  namespace fs = std::filesystem;
  if (path.empty()) {
    return fail(ErrorKind::machine, "no {} is known: name one in [{}], or let tbci-deliver.service pass it", what,
                section);
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_regular_file(status) || fs::file_size(path, error) > largest_secret_file_bytes || error) {
    return fail(ErrorKind::machine, "the {} {} is missing or not a regular file: write it there", what, path.string());
  }
  if ((status.permissions() & fs::perms::others_all) != fs::perms::none) {
    return fail(ErrorKind::machine, "other users can access the {} {}: run 'chmod 600' on it", what, path.string());
  }
  return read_file(path, largest_secret_file_bytes);
}

Result<std::string> read_word(const std::filesystem::path& path, std::string_view what, std::string_view section) {
  TBCI_ASSIGN(const std::string text, read_secret_file(path, what, section));
  const std::string word(trim(text));
  const bool clean = std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (word.empty() || !clean) {
    const std::string_view secret = what.substr(0, what.rfind(" file"));
    return fail(ErrorKind::machine, "the {} {} contains no {}: write the {} to it as a single word", what,
                path.string(), secret, secret);
  }
  return word;
}

}  // namespace tbci::github
