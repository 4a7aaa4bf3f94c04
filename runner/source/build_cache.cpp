#include "runner/source/build_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished_prefix = "unfinished-";

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
    const auto size = at->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

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

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

}  // namespace

BuildCache::BuildCache(BuildCacheSettings settings) : settings_(std::move(settings)) {}

std::optional<fs::path> BuildCache::find(const std::string& key) const {
  const fs::path entry = settings_.folder / key;
  std::error_code missing;
  // One step finds the entry and marks it as used: evict checks the mark.
  fs::last_write_time(entry, fs::file_time_type::clock::now(), missing);
  if (missing) return std::nullopt;
  return entry;
}

Result<fs::path> BuildCache::begin(const std::string& key) const {
  TBCI_ASSERT(!key.empty() && key.find_first_not_of("0123456789abcdef") == std::string::npos);
  TBCI_TRY(make_directories(settings_.folder));
  std::error_code ignored;
  for (fs::directory_iterator at(settings_.folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    std::error_code kept;
    if (name.starts_with(unfinished_prefix) && abandoned(at->path())) fs::remove_all(at->path(), kept);
  }
  std::string folder = (settings_.folder / fmt::format("{}{}-{}.XXXXXX", unfinished_prefix, ::getpid(), key)).string();
  if (::mkdtemp(folder.data()) == nullptr)
    return fail(ErrorKind::environment, "cannot create a folder in {}: check its permissions",
                settings_.folder.string());
  fs::permissions(folder,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                      fs::perms::others_exec,
                  ignored);
  return fs::path(folder);
}

Result<fs::path> BuildCache::commit(const std::string& key, const fs::path& filled) const {
  sync_files(filled);
  const fs::path entry = settings_.folder / key;
  std::error_code error;
  fs::rename(filled, entry, error);
  if (error) {
    std::error_code ignored;
    const bool came_first = fs::exists(entry, ignored);
    fs::remove_all(filled, ignored);
    if (!came_first)
      return fail(ErrorKind::environment, "cannot store the build in {}: {}", entry.string(), error.message());
  }
  find(key);
  TBCI_TRY(evict());
  return entry;
}

Result<int> BuildCache::evict() const {
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(settings_.folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;
    if (name.starts_with(unfinished_prefix) || !at->is_directory(gone)) continue;
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    entries.push_back({.path = at->path(), .used = used, .bytes = size_of(at->path())});
    total += entries.back().bytes;
  }
  if (error) return fail(ErrorKind::environment, "cannot list {}: {}", settings_.folder.string(), error.message());
  std::ranges::sort(entries, {}, &Entry::used);
  const auto newest_removable = fs::file_time_type::clock::now() - settings_.kept_at_least;
  int removed = 0;
  for (const Entry& entry : entries) {
    if (total <= settings_.budget_bytes) break;
    std::error_code kept;
    if (entry.used > newest_removable || fs::last_write_time(entry.path, kept) != entry.used) continue;
    // Rename first, so that nobody finds half an entry.
    const fs::path doomed = settings_.folder / fmt::format("{}0-{}", unfinished_prefix, entry.path.filename().string());
    fs::rename(entry.path, doomed, kept);
    if (kept) continue;
    fs::remove_all(doomed, kept);
    total -= entry.bytes;
    ++removed;
  }
  return removed;
}

}  // namespace tbci::runner
