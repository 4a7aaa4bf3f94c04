#include "runner/source/built_files.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

struct Counted {
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
};

// A build may take its own permissions away: a folder that its owner cannot write is copied as one that cannot be
// filled.
void make_copyable(const fs::path& path, const fs::file_status& status) {
  std::error_code ignored;  // then the copy fails, and says why
  const fs::perms wanted = fs::is_directory(status) ? fs::perms::owner_all : fs::perms::owner_read;
  if (fs::is_symlink(status) || (status.permissions() & wanted) == wanted) return;
  fs::permissions(path, wanted, fs::perm_options::add, ignored);
}

Status count(const fs::path& path, const CopyLimits& limits, Counted& counted) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::is_regular_file(status) && !fs::is_directory(status) && !fs::is_symlink(status)) {
    return fail(ErrorKind::failed, "the build made {}, which is not a file, folder or link",
                one_line(path.string(), 300));
  }
  make_copyable(path, status);
  if (fs::is_regular_file(status)) counted.bytes += fs::file_size(path, error);
  if (++counted.entries > limits.entries || counted.bytes > limits.bytes) {
    return fail(ErrorKind::failed, "the build made more than {} files or {}: tbci does not keep it", limits.entries,
                human_bytes(static_cast<double>(limits.bytes)));
  }
  return {};
}

// Before anything is copied, so that a build of many terabytes of zeros costs no space.
Status check(const fs::path& from, const CopyLimits& limits) {
  Counted counted;
  TBCI_TRY(count(from, limits, counted));
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(from, error))) return {};
  for (fs::recursive_directory_iterator at(from, error), end; !error && at != end; at.increment(error))
    TBCI_TRY(count(at->path(), limits, counted));
  if (error)
    return fail(ErrorKind::failed, "cannot read what the build made in {}: {}", from.string(), error.message());
  return {};
}

}  // namespace

Result<fs::path> built_place(const std::string& named, const fs::path& source, const fs::path& prefix) {
  static constexpr std::string_view own = "{prefix}";
  if (!named.starts_with(own)) return path_inside(source, named);
  const std::string below(trim(std::string_view(named).substr(own.size())));
  if (below.empty() || below == "/") return prefix;
  return path_inside(prefix, below.substr(1));
}

Result<fs::path> real_place(const fs::path& named, const fs::path& source, const fs::path& prefix) {
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  if (error) return named;
  for (const fs::path& folder : {source, prefix}) {
    const fs::path root = fs::canonical(folder, error);
    if (!error && std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end()) return real;
  }
  return fail(ErrorKind::failed, "the build made {} a link to {}, which is not of this build",
              one_line(named.string(), 300), one_line(real.string(), 300));
}

Status copy_built(const fs::path& from, const fs::path& to, const CopyLimits& limits) {
  TBCI_TRY(check(from, limits));
  TBCI_TRY(make_directories(to.parent_path()));
  std::error_code error;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (error) return fail(ErrorKind::machine, "cannot copy {} to {}: {}", from.string(), to.string(), error.message());
  return {};
}

}  // namespace tbci::runner
