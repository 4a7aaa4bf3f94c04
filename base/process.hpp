// Child processes: started from argument vectors (never a shell), watched, limited, and ended with all their
// descendants.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci {

/// Which of our environment variables a child inherits. Never those of a git hook that name a repository (GIT_DIR,
/// ...); and but for fetching none whose name sounds secret (TOKEN, PASSWORD, ..._KEY) or whose value is an address
/// with a password in it.
enum class Inherited {
  listed,          ///< PATH, HOME, the language; what steers compilers, caches, allocators, threads and GPUs
  for_network,     ///< and proxies without a password, certificates, PIP_...: a recipe
  for_fetching,    ///< `listed`, proxies, certificates, GIT_..., SSH_AUTH_SOCK: git and pip themselves
  all_but_secrets  ///< all others as well: for a person's own command on a person's own machine
};

struct Command {
  std::vector<std::string> arguments;              ///< arguments[0] is looked up on PATH
  std::filesystem::path directory;                 ///< empty: ours
  std::map<std::string, std::string> environment;  ///< added to what is inherited
  Inherited inherited = Inherited::listed;
  /// Folders and files that the child and its descendants may write, with null, GPUs and shared memory; nothing: all
  /// that we may write. They must exist. Without effect where the kernel cannot do it: see base/sandbox.hpp.
  std::optional<std::vector<std::filesystem::path>> writable;
  /// Absolute paths of files and folders that it cannot read, where `writable` holds. They need not exist.
  std::vector<std::filesystem::path> hidden = {};
  std::chrono::milliseconds time_limit = std::chrono::hours(24);
  /// How long the end of what was killed is waited for. A process that waits in the kernel for a device that does not
  /// answer, such as a GPU, does not end before that; it is left behind then.
  std::chrono::milliseconds ending_limit = std::chrono::seconds(30);
  /// Address space that the child may use at most (RLIMIT_AS); nothing: no limit.
  std::optional<std::uint64_t> memory_limit_bytes;
  std::vector<int> cpus;  ///< CPUs that the child is pinned to; empty: no pinning
  int input = -1;         ///< descriptor that becomes its standard input, and stays the caller's; -1: there is nothing
  /// Takes each whole line of standard output as it comes (without the newline). Lines over 1 MiB are cut.
  std::function<void(std::string_view)> on_output_line;
  /// The same of standard error.
  std::function<void(std::string_view)> on_error_line;
  std::size_t kept_output_bytes = 4 << 20;  ///< how much of the end of each stream the outcome keeps
};

struct ProcessOutcome {
  int exit_code = 0;         ///< of an ordinary end; 128 + signal otherwise
  int signal = 0;            ///< that ended it, 0 if none did
  bool timed_out = false;    ///< tbci ended it at its time limit
  bool interrupted = false;  ///< tbci ended it, or never started it, because a stop was requested
  bool left_behind = false;  ///< tbci killed it, and it did not end: the machine is at fault; `signal` is SIGKILL
  std::string output;        ///< end of standard output
  std::string error;         ///< end of standard error
  std::chrono::nanoseconds wall{};
  std::chrono::nanoseconds cpu{};    ///< user and system time of the child
  std::uint64_t peak_rss_bytes = 0;  ///< largest resident set of the child
  bool succeeded() const { return exit_code == 0 && signal == 0 && !timed_out && !interrupted; }
};

/// No core dump of this process or its children: they may hold a secret.
void forbid_core_dumps();

/// Other processes of the same user cannot read this one's memory, environment or descriptors from now on, nor trace
/// it. For a process that holds a secret and starts no other: its children could not set what they may use.
void keep_memory_private();

/// The CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

/// How an outcome reads in an error: `exit code 3`, `killed by SIGSEGV`, `ended after its limit of 60 s`.
std::string describe(const ProcessOutcome& outcome, std::chrono::milliseconds time_limit);
/// The command as a person would type it.
std::string describe(const Command& command);

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  /// Blocks until the child ends and all its descendants are gone, wherever they put themselves: what is left when the
  /// child ends is killed, and left behind where it does not end within `ending_limit`. The next run takes its end, if
  /// it ever ends. If tbci dies they are killed as well. An error only where it could not be started or watched
  /// (kind machine, naming the program). Thread-safe.
  virtual Result<ProcessOutcome> run(const Command& command, std::stop_token stop) = 0;
};

class SystemProcessRunner final : public ProcessRunner {
 public:
  Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override;
};

/// Runs the command. Where it does not succeed, an error says how it ended and quotes the end of its output.
Result<ProcessOutcome> run_checked(ProcessRunner& runner, const Command& command, std::stop_token stop = {});

}  // namespace tbci
