#include "base/process_start.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/process_tree.hpp"
#include "base/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by its user

namespace tbci::process {

void Stream::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) return close();
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
    return fail(ErrorKind::environment, "cannot make a pipe for a child process: {}", std::strerror(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool holds_a_secret(std::string_view variable) {
  std::string name(variable.substr(0, variable.find('=')));
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string_view word : {"TOKEN", "SECRET", "PASSWORD", "CREDENTIALS"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

// A git hook sets these for the programs that it starts. Inherited, they would direct our git to the hook's repository.
bool names_a_repository(std::string_view variable) {
  static constexpr std::array names = {"GIT_DIR",
                                       "GIT_WORK_TREE",
                                       "GIT_INDEX_FILE",
                                       "GIT_COMMON_DIR",
                                       "GIT_OBJECT_DIRECTORY",
                                       "GIT_NAMESPACE",
                                       "GIT_PREFIX",
                                       "GIT_ALTERNATE_OBJECT_DIRECTORIES"};
  return std::find(names.begin(), names.end(), variable) != names.end();
}

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string name(text.substr(0, text.find('=')));
    if (holds_a_secret(text) || names_a_repository(name) || command.environment.contains(name)) continue;
    variables.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  return variables;
}

Result<std::string> find_program(const Command& command) {
  if (command.arguments.empty()) return fail(ErrorKind::usage, "cannot run an empty command: name a program");
  const std::string& name = command.arguments.front();
  if (name.find('/') != std::string::npos) {
    const auto path = command.directory.empty() ? std::filesystem::path(name) : command.directory / name;
    if (::access(path.c_str(), X_OK) == 0) return std::filesystem::absolute(path).string();
    return fail(ErrorKind::environment, "cannot run {}: {}", path.string(), std::strerror(errno));
  }
  const auto own = command.environment.find("PATH");
  const char* inherited = std::getenv("PATH");
  const std::string path = own != command.environment.end() ? own->second : inherited ? inherited : "/usr/bin:/bin";
  for (const std::string& folder : split(path, ':')) {
    const std::string candidate = folder + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return fail(ErrorKind::environment, "the program '{}' is not on PATH: install it, or give its path", name);
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
  cpu_set_t cpus;
  bool pinned;
  pid_t parent;
};

// Runs in the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const Command& command, Prepared& prepared, char** arguments, char** environment, int output,
                         int error, int report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.parent) ::_exit(127);  // it died before that call
  // Where memory runs out, the kernel should kill a child and not tbci.
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(score, "1000", 4);
  }
  bool prepared_well = true;
  if (prepared.pinned) prepared_well = ::sched_setaffinity(0, sizeof prepared.cpus, &prepared.cpus) == 0;
  if (prepared_well && command.memory_limit_bytes) {
    const rlimit limit{*command.memory_limit_bytes, *command.memory_limit_bytes};
    prepared_well = ::setrlimit(RLIMIT_AS, &limit) == 0;
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY);
  prepared_well = prepared_well && ::dup2(nothing, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(error, 2) == 2;
  if (prepared_well && !command.directory.empty()) prepared_well = ::chdir(command.directory.c_str()) == 0;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
#ifdef CLOSE_RANGE_CLOEXEC
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what a library opened without the flag; an old kernel cannot
#endif
  if (prepared_well) ::execve(prepared.program.c_str(), arguments, environment);
  const int code = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(report, &code, sizeof code);
  ::_exit(127);
}

}  // namespace

Result<Child> start(const Command& command) {
  Prepared prepared;
  TBCI_ASSIGN(prepared.program, find_program(command));
  prepared.arguments = command.arguments;
  prepared.environment = child_environment(command);
  prepared.pinned = !command.cpus.empty();
  prepared.parent = ::getpid();
  CPU_ZERO(&prepared.cpus);
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE)
      return fail(ErrorKind::usage, "cannot pin a process to CPU {}: there is no such CPU", cpu);
    CPU_SET(static_cast<std::size_t>(cpu), &prepared.cpus);
  }
  auto arguments = pointers(prepared.arguments);
  auto environment = pointers(prepared.environment);
  TBCI_ASSIGN(Pipe output, make_pipe());
  TBCI_ASSIGN(Pipe error, make_pipe());
  TBCI_ASSIGN(Pipe report, make_pipe());
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorKind::environment, "cannot start {}: {}", prepared.program, std::strerror(errno));
  if (pid == 0) {
    become(command, prepared, arguments.data(), environment.data(), output.write.get(), error.write.get(),
           report.write.get());
  }
  ::setpgid(pid, pid);  // in both, whichever comes first
  output.write.reset();
  error.write.reset();
  report.write.reset();
  int code = 0;
  ssize_t got;
  do {
    got = ::read(report.read.get(), &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof code)) {
    ::waitpid(pid, nullptr, 0);
    return fail(ErrorKind::environment, "cannot run {}{}: {}", prepared.program,
                command.directory.empty() ? "" : " in " + command.directory.string(), std::strerror(code));
  }
  Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.open()) {
    const int reason = errno;
    kill_tree(pid);
    ::waitpid(pid, nullptr, 0);
    return fail(ErrorKind::environment, "cannot watch {}: {}", prepared.program, std::strerror(reason));
  }
  return Child{.pid = pid,
               .pidfd = std::move(pidfd),
               .output = Stream(std::move(output.read), command.on_output_line, command.kept_output_bytes),
               .error = Stream(std::move(error.read), command.on_error_line, command.kept_output_bytes)};
}

}  // namespace tbci::process
