#include "runner/library_digests.hpp"

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept_digits = 16;

}  // namespace

LibraryDigests::LibraryDigests(fs::path file) : file_(std::move(file)) {
  for (const std::string& line : split(read_file(file_).value_or(std::string()), '\n')) {
    const std::size_t space = line.find(' ');
    if (space == kept_digits) known_[line.substr(space + 1)] = line.substr(0, space);
  }
}

Result<std::string> LibraryDigests::of(const fs::path& library) {
  std::error_code error;
  const auto size = fs::file_size(library, error);
  if (error) return fail(ErrorKind::machine, "cannot read {}: {}", library.string(), error.message());
  const auto time = fs::last_write_time(library, error).time_since_epoch().count();
  if (error) return fail(ErrorKind::machine, "cannot read {}: {}", library.string(), error.message());
  const std::string key = fmt::format("{} {} {}", size, time, library.string());
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  TBCI_ASSIGN(const std::string digest, sha256_of_file(library));
  // A name with a line break would be read back as two names, so it is not stored.
  if (key.find('\n') != std::string::npos) return digest.substr(0, kept_digits);
  changed_ = true;
  return known_[key] = digest.substr(0, kept_digits);
}

Status LibraryDigests::save() {
  if (!changed_) return {};
  std::string lines;
  for (const auto& [key, digest] : known_) {
    // Drop removed nightlies, or the file would grow for years.
    const std::size_t path = key.find(' ', key.find(' ') + 1);
    std::error_code ignored;
    if (fs::exists(key.substr(path + 1), ignored)) lines += digest + " " + key + "\n";
  }
  TBCI_TRY(write_file_atomically(file_, lines));
  changed_ = false;
  return {};
}

}  // namespace tbci::runner
