#include "runner/nightly/installed_files.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_record_bytes = std::size_t{64} << 20;

struct RecordedFile {
  std::string path;    // from the folder of the packages
  std::string digest;  // as in the line: `sha256=...`; empty: none
};

// One field of a line of CSV (RFC 4180) and what follows it: `"a,""b""",rest`.
std::optional<std::string> take_field(std::string_view& line) {
  std::string field;
  if (!line.starts_with('"')) {
    const std::size_t end = std::min(line.find(','), line.size());
    field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return field;
  }
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[++at];
    } else {
      line.remove_prefix(std::min(at + 2, line.size()));
      return field;
    }
  }
  return std::nullopt;
}

Result<std::vector<RecordedFile>> parse_record(std::string_view text) {
  std::vector<RecordedFile> files;
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = line;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty()) continue;
    const auto path = take_field(rest);
    const auto digest = path ? take_field(rest) : std::nullopt;
    if (!digest || path->empty()) return fail(ErrorKind::failed, "cannot be read at: {}", one_line(line, 100));
    files.push_back({.path = *path, .digest = *digest});
  }
  return files;
}

// `sha256=` and base64 for addresses, without its end, as hexadecimal digits; nothing for another digest.
std::optional<std::string> hex_of(std::string_view digest) {
  constexpr std::string_view kind = "sha256=";
  if (!digest.starts_with(kind)) return std::nullopt;
  std::string text(trim(digest.substr(kind.size())));
  while (text.ends_with('=')) text.pop_back();
  if (text.size() != 43) return std::nullopt;
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text += '=';
  std::vector<unsigned char> bytes(36);
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DecodeBlock(bytes.data(), from, static_cast<int>(text.size())) != 33) return std::nullopt;
  std::string hex;
  for (std::size_t i = 0; i < 32; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

bool is_bytecode(const fs::path& path) {
  return path.extension() == ".pyc" && path.parent_path().filename() == "__pycache__";
}

bool is_in(const fs::path& folder, const fs::path& path) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

class InstalledFiles {
 public:
  InstalledFiles(const fs::path& environment, const fs::path& packages)
      : environment_(environment.lexically_normal()), packages_(packages.lexically_normal()) {}

  Status check() {
    std::error_code error;
    for (fs::directory_iterator at(packages_, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".dist-info") TBCI_TRY(check_package(at->path()));
    }
    if (error) return fail(ErrorKind::machine, "cannot list {}: {}", packages_.string(), error.message());
    return check_unlisted();
  }

 private:
  Status check_package(const fs::path& info) {
    const fs::path record = info / "RECORD";
    const std::string package = one_line(info.stem().string(), 100);
    TBCI_ASSIGN(const std::string text, read_file(record, longest_record_bytes));
    auto files = parse_record(text);
    if (!files) return fail(ErrorKind::failed, "{} is refused: its RECORD {}", package, files.error().message);
    for (const RecordedFile& file : *files) {
      const fs::path path = (packages_ / file.path).lexically_normal();
      const std::string trouble = trouble_of(path, file, record);
      if (!trouble.empty())
        return fail(ErrorKind::failed, "{} is refused: '{}' {}", package, one_line(file.path, 120), trouble);
      listed_.insert(path);
    }
    return {};
  }

  std::string trouble_of(const fs::path& path, const RecordedFile& file, const fs::path& record) const {
    if (!is_in(environment_, path)) return "leads out of the environment";
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(path, ignored);
    const bool made_by_pip = path == record || is_bytecode(path);
    if (!fs::exists(status)) return made_by_pip ? "" : "is in its RECORD, and was not installed";
    if (!fs::is_regular_file(status)) return "is not an ordinary file";
    if (made_by_pip) return {};
    if (file.digest.empty()) return "is not in the RECORD of its wheel";
    const auto wanted = hex_of(file.digest);
    if (!wanted) return "has no SHA-256 in its RECORD";
    const auto found = sha256_of_file(path);
    if (!found) return found.error().message;
    return *found == *wanted ? "" : "differs from what its RECORD says";
  }

  Status check_unlisted() const {
    std::error_code error;
    for (fs::recursive_directory_iterator at(packages_, error), end; !error && at != end; at.increment(error)) {
      const fs::file_status status = at->symlink_status(error);
      if (fs::is_directory(status) || listed_.contains(at->path().lexically_normal()) || is_bytecode(at->path()))
        continue;
      return fail(ErrorKind::failed, "'{}' is refused: no wheel lists it",
                  one_line(at->path().lexically_relative(packages_).string(), 120));
    }
    if (error) return fail(ErrorKind::machine, "cannot list {}: {}", packages_.string(), error.message());
    return {};
  }

  fs::path environment_, packages_;
  std::set<fs::path> listed_;
};

}  // namespace

Status check_installed_files(const fs::path& environment, const fs::path& packages) {
  return InstalledFiles(environment, packages).check();
}

}  // namespace tbci::runner
