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

// A name that is too long, or leads through a file, is a file that was not installed: RECORDs are hostile.
Result<fs::file_status> status_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::status_known(status)) return status;
  if (error == std::errc::filename_too_long || error == std::errc::too_many_symbolic_link_levels)
    return fs::file_status(fs::file_type::not_found);
  return fail(ErrorKind::machine, "cannot look at {}: {}", path.string(), error.message());
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
    const std::string package = one_line(info.stem().string(), 100);
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorKind::failed, "{} is refused: {}", package, why);
    };
    const fs::path record = info / "RECORD";
    TBCI_ASSIGN(const fs::file_status status, status_of(record));
    if (!fs::is_regular_file(status)) return refuse("it has no RECORD");
    std::error_code unreadable;
    if (fs::file_size(record, unreadable) > longest_record_bytes && !unreadable)
      return refuse("its RECORD is too large");
    TBCI_ASSIGN(const std::string text, read_file(record, longest_record_bytes));
    auto files = parse_record(text);
    if (!files) return refuse("its RECORD " + files.error().message);
    for (const RecordedFile& file : *files) {
      const fs::path path = (packages_ / file.path).lexically_normal();
      TBCI_ASSIGN(const std::string trouble, trouble_of(path, file, record));
      if (!trouble.empty()) return refuse("'" + one_line(file.path, 120) + "' " + trouble);
      listed_.insert(path);
    }
    return {};
  }

  // What is wrong with the file; an error where the machine cannot say.
  Result<std::string> trouble_of(const fs::path& path, const RecordedFile& file, const fs::path& record) const {
    if (!is_in(environment_, path)) return "leads out of the environment";
    TBCI_ASSIGN(const fs::file_status status, status_of(path));
    const bool made_by_pip = path == record || is_bytecode(path);
    if (!fs::exists(status)) return made_by_pip ? "" : "is in its RECORD, and was not installed";
    if (!fs::is_regular_file(status)) return "is not an ordinary file";
    if (made_by_pip) return "";
    if (file.digest.empty()) return "is not in the RECORD of its wheel";
    const auto wanted = sha256_of_record(file.digest);
    if (!wanted) return "has no SHA-256 in its RECORD";
    TBCI_ASSIGN(const std::string found, sha256_of_file(path));
    return found == *wanted ? "" : "differs from what its RECORD says";
  }

  Status check_unlisted() const {
    std::error_code error;
    for (fs::recursive_directory_iterator at(packages_, error), end; !error && at != end; at.increment(error)) {
      TBCI_ASSIGN(const fs::file_status status, status_of(at->path()));
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
