// A process that does not end when it is killed, as one that waits in the kernel for a device. A tracer makes one of
// any process: what it traces is killed, but nobody can take its end before the tracer has.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is of POSIX
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "tests/catch.hpp"

namespace tbci::process_left_behind_test {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Tracer {
 public:
  explicit Tracer(pid_t traced) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    tracer_ = ::fork();
    if (tracer_ == 0) {  // only calls that are safe after the fork of a process with threads
      const char answer = ::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) == 0 ? 'y' : 'n';
      [[maybe_unused]] const ssize_t ignored = ::write(ends[1], &answer, 1);
      while (true) ::pause();
    }
    char answer = 'n';
    if (::read(ends[0], &answer, 1) != 1) answer = 'n';
    traces_ = answer == 'y';
    for (const int end : ends) ::close(end);
  }
  ~Tracer() {
    ::kill(tracer_, SIGKILL);
    ::waitpid(tracer_, nullptr, 0);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  bool traces() const { return traces_; }

 private:
  pid_t tracer_ = -1;
  bool traces_ = false;
};

// A command that prints the number of the process that is then traced.
struct Traced {
  std::optional<Tracer> tracer;
  std::string pid;
  Command command;
  explicit Traced(const std::string& script) {
    command.arguments = {"/bin/sh", "-c", script};
    command.ending_limit = 200ms;
    command.on_output_line = [this](std::string_view line) {
      pid = line;
      tracer.emplace(std::stoi(pid));
    };
  }
  bool is_there() const { return fs::exists("/proc/" + pid); }
};

bool may_trace() {
  Traced any("echo $$; exec sleep 1000");
  any.command.time_limit = 300ms;
  SystemProcessRunner processes;
  const auto outcome = processes.run(any.command, {});
  const bool may = outcome && any.tracer && any.tracer->traces();
  any.tracer.reset();
  if (!may) WARN("this machine does not let a test trace its processes");
  return may;
}

void run_another_command() {
  Command command;
  command.arguments = {"true"};
  SystemProcessRunner processes;
  REQUIRE(processes.run(command, {})->succeeded());
}

std::ptrdiff_t entries_of(const char* folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("ProcessRunner: what does not end when it is killed is left behind, and its end is taken later",
          "[process]") {
  if (!may_trace()) return;
  const auto descriptors = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");
  Traced hanging("echo $$; exec sleep 1000");
  hanging.command.time_limit = 300ms;
  SystemProcessRunner processes;
  const auto outcome = processes.run(hanging.command, {});
  REQUIRE(outcome);
  REQUIRE(hanging.tracer->traces());
  CHECK(outcome->left_behind);
  CHECK(outcome->timed_out);
  CHECK_FALSE(outcome->succeeded());
  CHECK(describe(*outcome, 300ms).starts_with("cannot be killed and was left behind"));
  CHECK(outcome->output == hanging.pid + "\n");
  CHECK(outcome->wall < 4s);  // and not until a limit that nobody asked for
  CHECK(entries_of("/proc/self/fd") == descriptors);
  CHECK(entries_of("/proc/self/task") == threads);
  run_another_command();
  CHECK(hanging.is_there());
  hanging.tracer.reset();
  run_another_command();
  CHECK_FALSE(hanging.is_there());
}

TEST_CASE("ProcessRunner: a stop does not wait without a limit either", "[process]") {
  if (!may_trace()) return;
  std::stop_source stop;
  Traced hanging("echo $$; exec sleep 1000");
  const auto trace = hanging.command.on_output_line;
  hanging.command.on_output_line = [&](std::string_view line) {
    trace(line);
    stop.request_stop();
  };
  SystemProcessRunner processes;
  const auto outcome = processes.run(hanging.command, stop.get_token());
  REQUIRE(outcome);
  CHECK(outcome->left_behind);
  CHECK(outcome->interrupted);
  CHECK(outcome->wall < 4s);
  hanging.tracer.reset();
  run_another_command();
  CHECK_FALSE(hanging.is_there());
}

TEST_CASE("ProcessRunner: a guard that does not end is left behind as well, and the result stands", "[process]") {
  if (!may_trace()) return;
  Traced guarded("echo $PPID; sleep 0.2; exit 3");
  SystemProcessRunner processes;
  const auto outcome = processes.run(guarded.command, {});
  REQUIRE(outcome);
  CHECK(outcome->exit_code == 3);
  CHECK_FALSE(outcome->left_behind);
  CHECK(guarded.is_there());
  guarded.tracer.reset();
  run_another_command();
  CHECK_FALSE(guarded.is_there());
}

TEST_CASE("run_checked: a process that cannot be killed is the machine's fault", "[process]") {
  if (!may_trace()) return;
  Traced hanging("echo $$; exec sleep 1000");
  hanging.command.time_limit = 300ms;
  SystemProcessRunner processes;
  const auto outcome = run_checked(processes, hanging.command);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::machine);
  CHECK(outcome.error().message.find("was left behind: it waits in the kernel") != std::string::npos);
  hanging.tracer.reset();
  run_another_command();
}

}  // namespace tbci::process_left_behind_test
