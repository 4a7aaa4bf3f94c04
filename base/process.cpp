#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/process_tree.hpp"
#include "base/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by its user

namespace tbci {

namespace {

using Steady = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return value_; }
  bool open() const { return value_ >= 0; }
  void reset() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorKind::environment, "no pipe for a child: {}", std::strerror(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// A stream of the child: hands on whole lines and keeps the end.
class Stream {
 public:
  Stream(Descriptor source, std::function<void(std::string_view)> on_line, std::size_t kept_bytes)
      : source_(std::move(source)), on_line_(std::move(on_line)), kept_bytes_(kept_bytes) {}

  int descriptor() const { return source_.get(); }
  bool open() const { return source_.open(); }

  void read_some() {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return close();
    take({buffer.data(), static_cast<std::size_t>(count)});
  }

  void close() {
    if (on_line_ && !line_.empty()) on_line_(line_);
    line_.clear();
    source_.reset();
  }

  std::string take_kept() {
    if (kept_.size() > kept_bytes_) kept_.erase(0, kept_.size() - kept_bytes_);
    return std::move(kept_);
  }

 private:
  static constexpr std::size_t longest_line_bytes = 1 << 20;

  void take(std::string_view text) {
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

  Descriptor source_;
  std::function<void(std::string_view)> on_line_;
  std::size_t kept_bytes_;
  std::string line_, kept_;
};

bool holds_a_secret(std::string_view variable) {
  std::string name(variable.substr(0, variable.find('=')));
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string_view word : {"TOKEN", "SECRET", "PASSWORD", "CREDENTIALS"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

// Set where a hook of git started us: they would send every git of ours to the repository of that hook.
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
  if (command.arguments.empty()) return fail(ErrorKind::usage, "an empty command cannot be run");
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
  return fail(ErrorKind::environment, "the program '{}' is not installed (looked on PATH)", name);
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
  // Where memory runs out, the kernel takes a child and not us.
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

struct Child {
  pid_t pid = -1;
  Descriptor pidfd;
  Stream output, error;
};

Result<Child> start(const Command& command) {
  Prepared prepared;
  TBCI_ASSIGN(prepared.program, find_program(command));
  prepared.arguments = command.arguments;
  prepared.environment = child_environment(command);
  prepared.pinned = !command.cpus.empty();
  prepared.parent = ::getpid();
  CPU_ZERO(&prepared.cpus);
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return fail(ErrorKind::usage, "there is no CPU {} to pin a process to", cpu);
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
  return Child{pid, std::move(pidfd), Stream(std::move(output.read), command.on_output_line, command.kept_output_bytes),
               Stream(std::move(error.read), command.on_error_line, command.kept_output_bytes)};
}

// Waits for the end of the leader, the time limit, or a stop; reads meanwhile. Leaves the leader unreaped.
class Watch {
 public:
  Watch(Child& child, Descriptor wake, std::chrono::milliseconds limit, std::stop_token stop)
      : child_(child),
        deadline_(Steady::now() + limit),
        wake_(std::move(wake)),
        on_stop_(std::move(stop), Wake{wake_.get()}) {}

  void run(ProcessOutcome& outcome) {
    bool ended = false;
    while (!ended) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now());
      std::array<pollfd, 4> waited = {pollfd{child_.output.descriptor(), POLLIN, 0},
                                      pollfd{child_.error.descriptor(), POLLIN, 0},
                                      pollfd{child_.pidfd.get(), POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
      ::poll(waited.data(), waited.size(), static_cast<int>(std::clamp<long>(left.count(), 0, 60000)));
      if (waited[0].revents != 0) child_.output.read_some();
      if (waited[1].revents != 0) child_.error.read_some();
      ended = waited[2].revents != 0;
      if (!ended && waited[3].revents != 0) outcome.interrupted = ended = true;
      if (!ended && Steady::now() >= deadline_) outcome.timed_out = ended = true;
    }
    // Whatever it left running. The leader is not reaped yet, so the number is still its own.
    kill_tree(child_.pid);
    drain();
  }

 private:
  struct Wake {
    int descriptor;
    void operator()() const { ::eventfd_write(descriptor, 1); }
  };

  // What is still in the pipes; a descendant that left the group may hold them open, so not for long.
  void drain() {
    const auto until = Steady::now() + std::chrono::seconds(1);
    for (Stream* stream : {&child_.output, &child_.error}) {
      while (stream->open()) {
        pollfd waited{stream->descriptor(), POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
        if (left <= 0 || ::poll(&waited, 1, static_cast<int>(left)) <= 0) break;
        stream->read_some();
      }
      stream->close();
    }
  }

  Child& child_;
  Steady::time_point deadline_;
  Descriptor wake_;
  std::stop_callback<Wake> on_stop_;
};

ProcessOutcome not_started() {
  ProcessOutcome outcome;
  outcome.signal = SIGKILL;
  outcome.exit_code = 128 + SIGKILL;
  outcome.interrupted = true;
  return outcome;
}

std::chrono::nanoseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Result<ProcessOutcome> SystemProcessRunner::run(const Command& command, std::stop_token stop) {
  // Not started at all: one that ends at once could end before our signal reaches it, and would pass for finished.
  if (stop.stop_requested()) return not_started();
  const auto begin = Steady::now();
  Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake.open()) return fail(ErrorKind::environment, "no event for a child: {}", std::strerror(errno));
  TBCI_ASSIGN(Child child, start(command));
  ProcessOutcome outcome;
  Watch(child, std::move(wake), command.time_limit, std::move(stop)).run(outcome);
  int status = 0;
  rusage usage{};
  pid_t reaped;
  do {
    reaped = ::wait4(child.pid, &status, 0, &usage);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) {
    return fail(ErrorKind::environment, "cannot learn how {} ended: {}", command.arguments.front(),
                std::strerror(errno));
  }
  outcome.wall = Steady::now() - begin;
  outcome.cpu = to_duration(usage.ru_utime) + to_duration(usage.ru_stime);
  outcome.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  // It may have been dying of its own when we came to end it: only SIGKILL is our doing.
  if (outcome.signal != SIGKILL) outcome.timed_out = outcome.interrupted = false;
  outcome.output = child.output.take_kept();
  outcome.error = child.error.take_kept();
  return outcome;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace tbci
