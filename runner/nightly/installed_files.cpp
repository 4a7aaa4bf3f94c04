#include "runner/nightly/installed_files.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/nightly/package_record.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_record_bytes = std::size_t{64} << 20;

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
    const auto text = read_file(record, longest_record_bytes);
    if (!text) return fail(ErrorKind::failed, "{} is refused: {}", package, text.error().message);
    auto files = parse_record(*text);
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
    const auto wanted = sha256_of_record(file.digest);
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
