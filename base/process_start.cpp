#include "base/process_start.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/process_environment.hpp"
#include "base/process_guard.hpp"
#include "base/sandbox.hpp"
#include "base/text.hpp"

namespace tbci::process {

void Stream::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  // What it began to write and did not end is passed on when it is known how it ended: see close().
  if (count <= 0) return source_.reset();
  take({buffer.data(), static_cast<std::size_t>(count)});
}

void Stream::close() {
  if (on_line_ && !line_.empty()) on_line_(line_);
  line_.clear();
  source_.reset();
}

std::string Stream::take_kept() {
  if (kept_.size() > kept_bytes_) kept_.erase(0, kept_.size() - kept_bytes_);
  return std::move(kept_);
}

void Stream::take(std::string_view text) {
  kept_ += text;
  if (kept_.size() > 2 * kept_bytes_ + 65536) kept_.erase(0, kept_.size() - kept_bytes_);
  if (!on_line_) return;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line_.append(text.substr(0, std::min(end, longest_line_bytes - std::min(line_.size(), longest_line_bytes))));
    if (end == std::string_view::npos) return;
    on_line_(line_);
    line_.clear();
    text.remove_prefix(end + 1);
  }
}

namespace {

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorKind::machine, "cannot make a pipe for a child process: {}", std::strerror(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<std::string> find_program(const Command& command) {
  if (command.arguments.empty()) return fail(ErrorKind::usage, "cannot run an empty command: name a program");
  const std::string& name = command.arguments.front();
  if (name.find('/') != std::string::npos) {
    const auto path = command.directory.empty() ? std::filesystem::path(name) : command.directory / name;
    if (::access(path.c_str(), X_OK) == 0) return std::filesystem::absolute(path).string();
    return fail(ErrorKind::machine, "cannot run {}: {}", path.string(), std::strerror(errno));
  }
  const auto own = command.environment.find("PATH");
  const char* inherited = std::getenv("PATH");
  const std::string path = own != command.environment.end() ? own->second : inherited ? inherited : "/usr/bin:/bin";
  for (const std::string& folder : split(path, ':')) {
    const std::string candidate = folder + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return fail(ErrorKind::machine, "the program '{}' is not on PATH: install it, or give its path", name);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

struct Prepared {
  std::string program;
  std::vector<std::string> arguments, environment;
  std::vector<char*> argument_pointers, environment_pointers;
  cpu_set_t cpus;
  bool pinned;
  Descriptor sandbox;
  Pipe output, error, report;
};

Result<Prepared> prepare(const Command& command) {
  Prepared prepared;
  TBCI_ASSIGN(prepared.program, find_program(command));
  prepared.arguments = command.arguments;
  prepared.environment = child_environment(command);
  prepared.argument_pointers = pointers(prepared.arguments);
  prepared.environment_pointers = pointers(prepared.environment);
  prepared.pinned = !command.cpus.empty();
  CPU_ZERO(&prepared.cpus);
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE)
      return fail(ErrorKind::usage, "cannot pin a process to CPU {}: there is no such CPU", cpu);
    CPU_SET(static_cast<std::size_t>(cpu), &prepared.cpus);
  }
  if (command.writable) {
    TBCI_ASSIGN(prepared.sandbox, make_sandbox(*command.writable, command.hidden));
  }
  TBCI_ASSIGN(prepared.output, make_pipe());
  TBCI_ASSIGN(prepared.error, make_pipe());
  TBCI_ASSIGN(prepared.report, make_pipe());
  return prepared;
}

// Where a program's limits are set: between fork and exec, so only calls that are safe there. False, with errno, where
// one of them is refused.
bool limit(const Command& command, const Prepared& prepared) {
  // Where memory runs out, the kernel should kill a child and not tbci.
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(score, "1000", 4);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (prepared.pinned && ::sched_setaffinity(0, sizeof prepared.cpus, &prepared.cpus) != 0) return false;
  if (!command.memory_limit_bytes) return true;
  const rlimit memory{*command.memory_limit_bytes, *command.memory_limit_bytes};
  return ::setrlimit(RLIMIT_AS, &memory) == 0;
}

// Runs in the child, between fork and exec, in the guard's memory: only calls that are safe there.
[[noreturn]] void become(const Command& command, const Prepared& prepared, pid_t parent) {
  // A session of its own: there is no terminal to read from or to ask on, and no way back into tbci's session.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before that call
  const int input = command.input >= 0 ? command.input : ::open("/dev/null", O_RDONLY);
  bool prepared_well = limit(command, prepared) && ::dup2(input, 0) == 0 &&
                       ::dup2(prepared.output.write.get(), 1) == 1 && ::dup2(prepared.error.write.get(), 2) == 2;
  if (prepared_well && !command.directory.empty()) prepared_well = ::chdir(command.directory.c_str()) == 0;
  prepared_well = prepared_well && enter_sandbox(prepared.sandbox);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
#ifdef CLOSE_RANGE_CLOEXEC
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what a library opened without the flag; an old kernel cannot
#endif
  if (prepared_well)
    ::execve(prepared.program.c_str(), prepared.argument_pointers.data(), prepared.environment_pointers.data());
  const int code = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(prepared.report.write.get(), &code, sizeof code);
  ::_exit(127);
}

// Closes all but the connection, which becomes descriptor 3: another child's pipe that stayed open here would never
// end, and a lock of tbci's would outlive it.
int keep_only(int connection) {
  connection = ::fcntl(connection, F_DUPFD_CLOEXEC, 3);  // one of the standard three may have been closed
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
  constexpr int kept = 3;
  if (connection != kept) ::dup2(connection, kept);
  bool closed = false;
#ifdef CLOSE_RANGE_CLOEXEC
  closed = ::close_range(kept + 1, ~0U, 0) == 0;
#endif
  for (int other = kept + 1; !closed && other < 65536; ++other) ::close(other);  // an old kernel
  return kept;
}

// Runs in the forked guard: only calls that are safe there.
[[noreturn]] void run_guard(const Command& command, const Prepared& prepared, int connection) {
  become_guard();
  const pid_t self = ::getpid();
  // The guard waits until the child is another program, and lends it its memory: copying that would take the longest
  // here. posix_spawn can neither limit nor confine.
  const pid_t child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) become(command, prepared, self);
  if (child < 0) {
    const int code = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(prepared.report.write.get(), &code, sizeof code);
    ::_exit(127);
  }
  guard(child, keep_only(connection), static_cast<long>(command.ending_limit.count()));
}

// The number of the error that kept the program from starting; 0: it runs.
int starting_error(int report) {
  int code = 0;
  ssize_t got;
  do {
    got = ::read(report, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof code) ? code : 0;
}

}  // namespace

Result<Child> start(const Command& command) {
  TBCI_ASSIGN(Prepared prepared, prepare(command));
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(ErrorKind::machine, "cannot start {}: {}", prepared.program, std::strerror(errno));
  Descriptor ours(ends[0]), theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorKind::machine, "cannot start {}: {}", prepared.program, std::strerror(errno));
  if (pid == 0) run_guard(command, prepared, theirs.get());
  theirs.reset();
  prepared.output.write.reset();
  prepared.error.write.reset();
  prepared.report.write.reset();
  if (const int code = starting_error(prepared.report.read.get()); code != 0) {
    ours.reset();
    ::waitpid(pid, nullptr, 0);
    return fail(ErrorKind::machine, "cannot run {}{}: {}", prepared.program,
                command.directory.empty() ? "" : " in " + command.directory.string(), std::strerror(code));
  }
  return Child{.guard = pid,
               .connection = std::move(ours),
               .output = Stream(std::move(prepared.output.read), command.on_output_line, command.kept_output_bytes),
               .error = Stream(std::move(prepared.error.read), command.on_error_line, command.kept_output_bytes)};
}

}  // namespace tbci::process
