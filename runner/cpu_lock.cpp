#include "runner/cpu_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds between_looks{20};

// A file that every user may open. Another user's may be opened for reading only: that is enough for a lock. A link in
// a folder that all may write to is not followed.
Result<int> open_lock(const fs::path& path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  constexpr mode_t everybody = 0666;
  int descriptor = ::open(path.c_str(), O_RDWR | flags);
  if (descriptor < 0 && errno == ENOENT) {
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | flags, everybody);
    if (descriptor >= 0) static_cast<void>(::fchmod(descriptor, everybody));  // whatever the umask is
    if (descriptor < 0 && errno == EEXIST) descriptor = ::open(path.c_str(), O_RDWR | flags);
  }
  if (descriptor < 0 && (errno == EACCES || errno == EROFS)) descriptor = ::open(path.c_str(), O_RDONLY | flags);
  if (descriptor < 0)
    return fail(ErrorKind::machine, "cannot open the lock {}: {}", path.string(), std::strerror(errno));
  return descriptor;
}

// One lock file, open and perhaps locked.
class LockFile {
 public:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}
  LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockFile& operator=(LockFile&&) = delete;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool try_lock() const { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }
  /// Writes who holds it, for people. A file of another user stays as it is.
  void sign() const {
    const std::string text = fmt::format("pid {}\n", ::getpid());
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) return;
  }
  std::string holder() const {
    std::array<char, 64> text{};
    const auto size = ::pread(descriptor_, text.data(), text.size(), 0);
    const std::string read = size > 0 ? one_line(std::string_view(text.data(), static_cast<std::size_t>(size))) : "";
    return read.empty() ? "another tbci" : fmt::format("another tbci ({})", read);
  }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// Waits for locks, all with one limit.
class Waiting {
 public:
  Waiting(const CpuLockSettings& settings, const Clock& clock, std::stop_token stop)
      : settings_(settings), clock_(clock), stop_(std::move(stop)) {}

  Status get(const LockFile& lock, const std::string& what) {
    while (!lock.try_lock()) {
      if (!told_ && settings_.on_wait)
        settings_.on_wait(fmt::format("waiting for {}, which measures on {}", lock.holder(), what));
      told_ = true;
      if (clock_.steady_now() - begun_ > settings_.longest_wait) {
        return fail(ErrorKind::transient, "{} has measured on {} for more than {}: stop it, or give it other CPUs",
                    lock.holder(), what, human_duration(settings_.longest_wait));
      }
      if (!clock_.sleep_for(between_looks, stop_)) return fail(ErrorKind::interrupted, "waiting for {}: stopped", what);
    }
    return {};
  }

 private:
  const CpuLockSettings& settings_;
  const Clock& clock_;
  std::stop_token stop_;
  SteadyTime begun_ = clock_.steady_now();
  bool told_ = false;
};

}  // namespace

fs::path cpu_lock_folder() {
  fs::path shared = "/run/lock";
  std::error_code ignored;
  if (fs::is_directory(shared, ignored) && ::access(shared.c_str(), W_OK | X_OK) == 0) return shared;
  fs::path temporary = fs::temp_directory_path(ignored);
  return ignored ? fs::path("/tmp") : temporary;
}

Result<CpuLock> CpuLock::take(const CpuLockSettings& settings, const Clock& clock, std::stop_token stop) {
  std::vector<int> cpus = settings.cpus;  // in one order for all, so that no two wait for each other
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  Waiting waiting(settings, clock, std::move(stop));
  CpuLock all;
  for (const int cpu : cpus) {
    const std::string what = fmt::format("CPU {}", cpu);
    // Who waits holds the queue's lock. Who comes back meets it there, and is the next one.
    TBCI_ASSIGN(const int queue_descriptor, open_lock(settings.folder / fmt::format("tbci-cpu-{}.queue", cpu)));
    const LockFile queue(queue_descriptor);
    TBCI_ASSIGN(const int descriptor, open_lock(settings.folder / fmt::format("tbci-cpu-{}.lock", cpu)));
    LockFile lock(descriptor);
    TBCI_TRY(waiting.get(queue, what));
    TBCI_TRY(waiting.get(lock, what));
    lock.sign();
    all.descriptors_.push_back(lock.release());
  }
  return all;
}

void CpuLock::release() {
  for (const int descriptor : descriptors_) ::close(descriptor);
  descriptors_.clear();
}

CpuLock& CpuLock::operator=(CpuLock&& other) noexcept {
  release();
  descriptors_ = std::move(other.descriptors_);
  other.descriptors_.clear();
  return *this;
}

CpuLock::~CpuLock() {
  release();
}

}  // namespace tbci::runner
