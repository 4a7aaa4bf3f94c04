#include "base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace tbci {

namespace {

std::string errno_reason() {
  return std::strerror(errno);
}

Status write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(ErrorKind::environment, "{}", errno_reason());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(ErrorKind::environment, "cannot read {}: {}", path.string(), errno_reason());
  std::ostringstream text;
  // An empty file inserts nothing, and that sets the stream's fail bit: only a broken source is a failure.
  errno = 0;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (errno != 0) return fail(ErrorKind::environment, "cannot read {}: {}", path.string(), errno_reason());
  return std::move(text).str();
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) TBCI_TRY(make_directories(path.parent_path()));
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return fail(ErrorKind::environment, "cannot write {}: {}", path.string(), errno_reason());
  Status status = write_all(descriptor, text);
  if (status && (::fchmod(descriptor, 0644) != 0 || ::fsync(descriptor) != 0))
    status = fail(ErrorKind::environment, "{}", errno_reason());
  ::close(descriptor);
  if (status && ::rename(beside.c_str(), path.c_str()) != 0)
    status = fail(ErrorKind::environment, "{}", errno_reason());
  if (!status) {
    ::unlink(beside.c_str());
    return fail(std::move(status).error(), fmt::format("cannot write {}", path.string()));
  }
  return {};
}

Status make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(ErrorKind::environment, "cannot make the folder {}: {}", path.string(), error.message());
  return {};
}

Result<std::uint64_t> free_bytes(const std::filesystem::path& path) {
  std::filesystem::path existing = std::filesystem::absolute(path);
  std::error_code ignored;
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  struct statvfs facts {};
  if (::statvfs(existing.c_str(), &facts) != 0) {
    return fail(ErrorKind::environment, "cannot ask for the free space of {}: {}", existing.string(), errno_reason());
  }
  return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
}

std::uint64_t bytes_on_disk(const std::filesystem::path& path) {
  const auto own_bytes = [](const std::filesystem::path& one) -> std::uint64_t {
    constexpr std::uint64_t block_bytes = 512;  // of st_blocks, whatever the file system's are
    struct stat facts {};
    return ::lstat(one.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_blocks) * block_bytes : 0;
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
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return fail(ErrorKind::environment, "cannot open the lock {}: {}", path.string(), errno_reason());
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const auto holder = read_file(path).value_or("");
    return fail(ErrorKind::transient, "{} is held by another process ({}); stop it, or use another folder",
                path.string(), holder.empty() ? "unknown" : holder.substr(0, holder.find('\n')));
  }
  const std::string holder = fmt::format("pid {}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, holder.data(), holder.size(), 0) < 0) {
    return fail(ErrorKind::environment, "cannot write the lock {}: {}", path.string(), errno_reason());
  }
  return lock;
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
