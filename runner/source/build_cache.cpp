#include "runner/source/build_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished_prefix = "unfinished-";

// So that an entry is complete even after a power failure.
void sync_files(const fs::path& folder) {
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (!at->is_regular_file(ignored)) continue;
    const int descriptor = ::open(at->path().c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

// Whether the process in its name has ended.
bool abandoned(const fs::path& unfinished) {
  const auto parts = split(unfinished.filename().string(), '-');
  if (parts.size() < 3) return true;
  const std::string& pid = parts[1];
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return true;
  if (pid == std::to_string(::getpid())) return false;
  std::error_code ignored;
  return !fs::exists("/proc/" + pid, ignored);
}

}  // namespace

BuildCache::BuildCache(fs::path folder) : folder_(std::move(folder)) {}

std::optional<fs::path> BuildCache::find(const std::string& key) const {
  const fs::path entry = folder_ / key;
  std::error_code missing;
  // One call finds the entry and marks it as used.
  fs::last_write_time(entry, fs::file_time_type::clock::now(), missing);
  if (missing) return std::nullopt;
  return entry;
}

Result<fs::path> BuildCache::begin(const std::string& key) const {
  TBCI_ASSERT(!key.empty() && key.find_first_not_of("0123456789abcdef") == std::string::npos);
  TBCI_TRY(make_directories(folder_));
  std::error_code ignored;
  for (fs::directory_iterator at(folder_, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    std::error_code kept;
    if (name.starts_with(unfinished_prefix) && abandoned(at->path())) fs::remove_all(at->path(), kept);
  }
  std::string folder = (folder_ / fmt::format("{}{}-{}.XXXXXX", unfinished_prefix, ::getpid(), key)).string();
  if (::mkdtemp(folder.data()) == nullptr)
    return fail(ErrorKind::machine, "cannot create a folder in {}: check its permissions", folder_.string());
  fs::permissions(folder,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                      fs::perms::others_exec,
                  ignored);
  return fs::path(folder);
}

Result<fs::path> BuildCache::commit(const std::string& key, const fs::path& filled) const {
  sync_files(filled);
  const fs::path entry = folder_ / key;
  std::error_code error;
  fs::rename(filled, entry, error);
  if (error) {
    std::error_code ignored;
    const bool came_first = fs::exists(entry, ignored);
    fs::remove_all(filled, ignored);
    if (!came_first)
      return fail(ErrorKind::machine, "cannot store the build in {}: {}", entry.string(), error.message());
  }
  find(key);
  return entry;
}

}  // namespace tbci::runner
