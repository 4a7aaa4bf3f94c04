#include "base/sandbox.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace tbci {

namespace {

namespace fs = std::filesystem;

// The names are ours, because linux/landlock.h of Debian 12 ends with version 2.
struct Ruleset {
  std::uint64_t files, network, scoped;
};
struct [[gnu::packed]] FolderRule {
  std::uint64_t allowed;
  std::int32_t folder;
};
constexpr std::uint64_t write_file = 1U << 1, read_file_content = 1U << 2;
constexpr std::uint64_t remove_and_make = 0x1ff0;  // folders, files, devices, sockets, pipes, links
constexpr std::uint64_t move_between_folders = 1U << 13;
constexpr std::uint64_t cut_length = 1U << 14;
constexpr std::uint64_t abstract_sockets = 1U << 0, signals = 1U << 1;
constexpr unsigned int ask_version = 1;
constexpr int rule_of_folder = 1;

constexpr int least_version = 2;      // version 1 forbids every move of a file to another folder, which builds need
constexpr int version_of_length = 3;  // Linux 6.2
constexpr int version_of_scopes = 6;  // Linux 6.12

std::uint64_t handled_files(int version) {
  const std::uint64_t common = write_file | remove_and_make | move_between_folders;
  return version >= version_of_length ? common | cut_length : common;
}

// What any program may write to; those that are there.
std::vector<fs::path> common_devices() {
  std::vector<fs::path> found;
  for (const char* name : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm",
                           "/dev/kfd", "/dev/dri", "/dev/nvidia-caps"}) {
    std::error_code ignored;
    if (fs::exists(name, ignored)) found.emplace_back(name);
  }
  std::error_code ignored;
  for (fs::directory_iterator at("/dev", ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (at->path().filename().string().starts_with("nvidia")) found.push_back(at->path());
  }
  return found;
}

Status allow(const Descriptor& rules, const fs::path& path, std::uint64_t handled) {
  const Descriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts {};
  if (!opened.open() || ::fstat(opened.get(), &facts) != 0)
    return fail(ErrorKind::machine, "cannot let a child write to {}: {}", path.string(), std::strerror(errno));
  FolderRule rule{.allowed = handled, .folder = opened.get()};
  if (!S_ISDIR(facts.st_mode)) rule.allowed &= write_file | read_file_content | cut_length;
  if (::syscall(SYS_landlock_add_rule, rules.get(), rule_of_folder, &rule, 0) != 0)
    return fail(ErrorKind::machine, "cannot let a child write to {}: {}", path.string(), std::strerror(errno));
  return {};
}

// Allows to read what lies beside the hidden paths: rules only add. `folder` holds one of them.
void allow_reading_beside(const Descriptor& rules, const fs::path& folder, const std::vector<fs::path>& hidden) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const fs::path& path = at->path();
    const auto lies_below = [&path](const fs::path& other) {
      return std::mismatch(path.begin(), path.end(), other.begin(), other.end()).first == path.end();
    };
    if (std::find(hidden.begin(), hidden.end(), path) != hidden.end()) continue;
    // A link may lead to what is hidden; what it leads to has a path of its own.
    if (fs::is_symlink(at->symlink_status(ignored))) continue;
    if (std::any_of(hidden.begin(), hidden.end(), lies_below)) {
      allow_reading_beside(rules, path, hidden);
      continue;
    }
    const Descriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
    const FolderRule rule{.allowed = read_file_content, .folder = opened.get()};
    ::syscall(SYS_landlock_add_rule, rules.get(), rule_of_folder, &rule, 0);  // refused: it cannot be read
  }
}

// Without links, as the kernel sees them.
std::vector<fs::path> real_paths(const std::vector<fs::path>& paths) {
  std::vector<fs::path> real;
  for (const fs::path& path : paths) {
    std::error_code error;
    const fs::path resolved = fs::weakly_canonical(path, error);
    real.push_back(error ? path.lexically_normal() : resolved);
  }
  return real;
}

}  // namespace

SandboxSupport judge_sandbox(long answer) {
  if (answer == -ENOSYS) return {.version = 0, .missing = "this kernel has no Landlock; Linux 5.19 or newer has it"};
  if (answer == -EOPNOTSUPP)
    return {.version = 0, .missing = "Landlock is switched off: add landlock to lsm= of the kernel's command line"};
  if (answer < 0) {
    return {.version = 0,
            .missing = fmt::format("the kernel refuses Landlock ({}); a filter of system calls may forbid it",
                                   std::strerror(static_cast<int>(-answer)))};
  }
  const int version = static_cast<int>(answer);
  if (version < least_version)
    return {.version = 0, .missing = "this kernel's Landlock is too old; Linux 5.19 or newer has what tbci needs"};
  if (version < version_of_length) {
    return {.version = version,
            .missing = "a child can still cut files elsewhere short and send signals to tbci; Linux 6.12 forbids both"};
  }
  if (version < version_of_scopes)
    return {.version = version, .missing = "a child can still send signals to tbci; Linux 6.12 forbids that"};
  return {.version = version, .missing = ""};
}

SandboxSupport sandbox_support() {
  const long answer = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version);
  return judge_sandbox(answer < 0 ? -errno : answer);
}

Result<Descriptor> make_sandbox(const std::vector<fs::path>& writable, const std::vector<fs::path>& hidden) {
  const SandboxSupport support = sandbox_support();
  if (support.version == 0) return Descriptor();
  const std::uint64_t reading = hidden.empty() ? 0 : read_file_content;
  const Ruleset wanted{.files = handled_files(support.version) | reading,
                       .network = 0,
                       .scoped = support.version >= version_of_scopes ? abstract_sockets | signals : 0};
  Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0)));
  if (!rules.open()) return fail(ErrorKind::machine, "cannot restrict a child's writing: {}", std::strerror(errno));
  for (const fs::path& path : writable) TBCI_TRY(allow(rules, path, wanted.files));
  for (const fs::path& path : common_devices()) TBCI_TRY(allow(rules, path, wanted.files));
  if (!hidden.empty()) allow_reading_beside(rules, "/", real_paths(hidden));
  return rules;
}

bool enter_sandbox(const Descriptor& rules) {
  if (!rules.open()) return true;
  // What a process may set about itself: a worker resets the peak of its memory there.
  const int self = ::open("/proc/self", O_PATH | O_CLOEXEC);
  FolderRule own{.allowed = write_file | cut_length, .folder = self};
  if (self >= 0 && ::syscall(SYS_landlock_add_rule, rules.get(), rule_of_folder, &own, 0) != 0) {
    own.allowed = write_file;  // version 2 does not know the other
    ::syscall(SYS_landlock_add_rule, rules.get(), rule_of_folder, &own, 0);
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

}  // namespace tbci
