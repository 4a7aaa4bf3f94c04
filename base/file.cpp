#include "base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace tbci {

namespace {

std::string errno_reason() {
  return std::strerror(errno);
}

Status write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(ErrorKind::machine, "{}", errno_reason());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// A file may be larger than it says (those in /proc say 0), or have holes that read as zeros: the limit is of what is
// read.
Result<std::string> read_all(const Descriptor& file, const std::filesystem::path& path, std::size_t most_bytes) {
  std::string text;
  std::array<char, 65536> part;
  while (true) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::machine, "cannot read {}: {}", path.string(), errno_reason());
    if (got == 0) return text;
    if (text.size() + static_cast<std::size_t>(got) > most_bytes) {
      return fail(ErrorKind::machine, "cannot read {}: it is larger than {} bytes", path.string(), most_bytes);
    }
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

// A new file of another name, with the permissions that the umask leaves; mkostemp's would be the owner's alone. The
// descriptor, or -1 with errno.
int open_beside(const std::filesystem::path& path, std::string& beside) {
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries; ++i) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return -1;
    beside = fmt::format("{}.{:016x}", path.string(), number);
    const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// A power cut must not take back a rename. Some folders can be written and not read, and some file systems sync none.
Status sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;
  const std::string reason = errno_reason();
  ::close(descriptor);
  if (synced) return {};
  return fail(ErrorKind::machine, "cannot sync the folder {}: {}", folder.string(), reason);
}

bool is_file_of(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Lets the owner enter and change every folder below. Follows no links.
void make_removable(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
  // By hand, because a recursive iterator opens a folder before its permissions are repaired.
  std::vector<fs::path> open = {path};
  while (!open.empty()) {
    const fs::path folder = std::move(open.back());
    open.pop_back();
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
      std::error_code gone;
      if (at->is_symlink(gone) || !at->is_directory(gone)) continue;
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, gone);
      open.push_back(at->path());
    }
  }
}

}  // namespace

Result<Descriptor> open_ordinary_file(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for one.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (!file.open() || ::fstat(file.get(), &facts) != 0)
    return fail(ErrorKind::machine, "cannot read {}: {}", path.string(), errno_reason());
  if (!S_ISREG(facts.st_mode))
    return fail(ErrorKind::machine, "cannot read {}: it is not an ordinary file", path.string());
  return file;
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  TBCI_ASSIGN(const Descriptor file, open_ordinary_file(path));
  return read_all(file, path, most_bytes);
}

Result<std::string> read_named_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (!file.open()) return fail(ErrorKind::machine, "cannot read {}: {}", path.string(), errno_reason());
  return read_all(file, path, most_bytes);
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) TBCI_TRY(make_directories(path.parent_path()));
  std::string beside;
  const int descriptor = open_beside(path, beside);
  if (descriptor < 0) return fail(ErrorKind::machine, "cannot write {}: {}", path.string(), errno_reason());
  Status status = write_all(descriptor, text);
  if (status && ::fsync(descriptor) != 0) status = fail(ErrorKind::machine, "{}", errno_reason());
  ::close(descriptor);
  if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = fail(ErrorKind::machine, "{}", errno_reason());
  if (!status) {
    ::unlink(beside.c_str());
    return fail(std::move(status).error(), fmt::format("cannot write {}", path.string()));
  }
  return sync_folder(path.has_parent_path() ? path.parent_path() : ".");
}

Status make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(ErrorKind::machine, "cannot create the folder {}: {}", path.string(), error.message());
  return {};
}

Status remove_tree(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return {};
  make_removable(path);
  std::filesystem::remove_all(path, error);
  if (error) return fail(ErrorKind::machine, "cannot remove {}: {}", path.string(), error.message());
  return {};
}

Result<std::uint64_t> free_bytes(const std::filesystem::path& path) {
  std::filesystem::path existing = std::filesystem::absolute(path);
  std::error_code ignored;
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  struct statvfs facts {};
  if (::statvfs(existing.c_str(), &facts) != 0) {
    return fail(ErrorKind::machine, "cannot ask for the free space of {}: {}", existing.string(), errno_reason());
  }
  return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
}

std::uint64_t bytes_on_disk(const std::filesystem::path& path) {
  const auto own_bytes = [](const std::filesystem::path& one) -> std::uint64_t {
    constexpr std::uint64_t block_bytes = 512;  // of st_blocks, whatever the file system's are
    struct stat facts {};
    if (::lstat(one.c_str(), &facts) != 0) return 0;
    const std::uint64_t names = S_ISREG(facts.st_mode) ? std::max<std::uint64_t>(facts.st_nlink, 1) : 1;
    return static_cast<std::uint64_t>(facts.st_blocks) * block_bytes / names;
  };
  using std::filesystem::directory_options;
  std::uint64_t bytes = own_bytes(path);
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) return bytes;
  std::filesystem::recursive_directory_iterator at(path, directory_options::skip_permission_denied, ignored), end;
  for (; !ignored && at != end; at.increment(ignored)) bytes += own_bytes(at->path());
  return bytes;
}

Result<std::filesystem::path> path_inside(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path relative = std::filesystem::path(name).lexically_normal();
  const bool leaves = relative.empty() || relative.is_absolute() || *relative.begin() == ".." || relative == ".";
  if (leaves || name.find('\0') != std::string::npos) {
    return fail(ErrorKind::usage, "'{}' does not name a file inside {}", name, folder.string());
  }
  return folder / relative;
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  if (path.has_parent_path()) TBCI_TRY(make_directories(path.parent_path()));
  constexpr int tries = 100;  // each of which another process can spoil by removing the file
  for (int i = 0; i < tries; ++i) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(ErrorKind::machine, "cannot open the lock {}: {}", path.string(), errno_reason());
    FileLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const auto holder = read_file(path).value_or("");
      return fail(ErrorKind::transient, "{} is held by another process ({}); stop it, or use another folder",
                  path.string(), holder.empty() ? "unknown" : holder.substr(0, holder.find('\n')));
    }
    // Its file may have been removed between the two calls: then the next process would make and lock another one.
    if (!is_file_of(descriptor, path)) continue;
    const std::string holder = fmt::format("pid {}\n", ::getpid());
    if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, holder.data(), holder.size(), 0) < 0) {
      return fail(ErrorKind::machine, "cannot write the lock {}: {}", path.string(), errno_reason());
    }
    return lock;
  }
  return fail(ErrorKind::transient, "the lock {} is removed again and again by another process", path.string());
}

// Only its holder removes the file, so that nobody can hold it beside somebody with a file of the same name.
void FileLock::remove_unheld(const std::filesystem::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  if (const auto lock = acquire(path)) ::unlink(path.c_str());
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace tbci
