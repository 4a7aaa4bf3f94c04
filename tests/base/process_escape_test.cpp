// What a hostile child does to outlive its command. All of it is bounded: at most 50 processes, a few seconds; a fork
// bomb by a control group of 100.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is of POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/process_tree.hpp"
#include "base/sandbox.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::process_escape_test {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Place {
  test::TemporaryDirectory folder;
  std::string pid_file = (folder / "pids").string();

  /// A command whose processes write their numbers to the file of pids.
  Command shell(const std::string& script) const {
    Command command;
    command.arguments = {"/bin/sh", "-c", script};
    command.environment = {{"PIDS", pid_file}};
    command.time_limit = 20s;
    return command;
  }
  std::vector<std::string> pids() const {
    const std::string text = read_file(pid_file).value_or("");
    return text.empty() ? std::vector<std::string>() : split(trim(text), '\n');
  }
  bool wait_for_pids(std::size_t count) const {
    for (int round = 0; round < 1000 && pids().size() < count; ++round) std::this_thread::sleep_for(10ms);
    return pids().size() >= count;
  }
};

ProcessOutcome run(const Command& command, const std::stop_token& stop = {}) {
  SystemProcessRunner processes;
  const auto outcome = processes.run(command, stop);
  INFO((outcome ? std::string() : outcome.error().message));
  REQUIRE(outcome);
  return *outcome;
}

bool runs(const std::string& pid) {
  const auto stat = read_file("/proc/" + pid + "/stat");
  return stat && stat->find(") Z ") == std::string::npos && !stat->empty();
}

// As /proc says it, so that a failure shows what is left.
std::vector<std::string> still_running(const std::vector<std::string>& pids) {
  std::vector<std::string> running;
  for (const std::string& pid : pids) {
    if (runs(pid)) running.push_back(read_file("/proc/" + pid + "/stat").value_or(pid + ", gone since"));
  }
  return running;
}

// Children of this process that have ended and that nobody waited for.
int zombies() {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto stat = read_file(entry.path() / "stat");
    if (stat && stat->find(") Z ") != std::string::npos && parent_of(entry.path()) == ::getpid()) ++count;
  }
  return count;
}

// A control group that holds at most `most` processes. Whatever is left in it ends with this object.
class ControlGroup {
 public:
  explicit ControlGroup(int most) {
    for (const char* parent : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
      folder_ = fs::path(parent) / ("tbci-test-" + std::to_string(::getpid()));
      std::error_code error;
      if (fs::create_directory(folder_, error) && write("pids.max", std::to_string(most))) return;
      fs::remove(folder_, error);
    }
    folder_.clear();
  }
  ~ControlGroup() {
    std::error_code ignored;
    for (int round = 0; round < 100 && !folder_.empty() && !fs::remove(folder_, ignored); ++round) {
      for (const std::string& pid : processes()) ::kill(std::stoi(pid), SIGKILL);
      std::this_thread::sleep_for(20ms);
    }
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// False where this machine allows none.
  bool exists() const { return !folder_.empty(); }
  /// A line of a shell that moves itself into the group.
  std::string enter() const { return "echo $$ > " + (folder_ / "cgroup.procs").string() + " || exit 9; "; }
  std::vector<std::string> processes() const {
    const std::string text = read_file(folder_ / "cgroup.procs").value_or("");
    return text.empty() ? std::vector<std::string>() : split(trim(text), '\n');
  }

 private:
  bool write(const char* file, const std::string& text) const {
    std::ofstream out(folder_ / file);
    return static_cast<bool>(out << text << std::flush);
  }
  fs::path folder_;
};

// Leaves a process that has a session of its own and whose parents have all ended.
const std::string leave_a_daemon = "setsid sh -c 'sleep 1000 & echo $! >> $PIDS' </dev/null >/dev/null 2>&1; ";

}  // namespace

TEST_CASE("ProcessRunner: a double fork into another session ends with the command", "[process][escape]") {
  const Place place;
  const ProcessOutcome outcome = run(place.shell(leave_a_daemon + "exit 3"));
  CHECK(outcome.exit_code == 3);
  REQUIRE(place.pids().size() == 1);
  // Not some time later: when the answer is there, the daemon is gone.
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
  CHECK(zombies() == 0);
}

TEST_CASE("ProcessRunner: daemons end at the time limit and at a stop as well", "[process][escape]") {
  const Place place;
  Command command = place.shell(leave_a_daemon + leave_a_daemon + "sleep 1000");
  command.time_limit = 1500ms;
  CHECK(run(command).timed_out);
  std::stop_source stop;
  Command stopped = place.shell(leave_a_daemon + "echo ready; sleep 1000");
  stopped.on_output_line = [&](std::string_view) { stop.request_stop(); };
  SystemProcessRunner processes;
  REQUIRE(processes.run(stopped, stop.get_token()));
  REQUIRE(place.pids().size() == 3);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
}

TEST_CASE("ProcessRunner: fifty processes in sessions of their own all end", "[process][escape]") {
  const Place place;
  const std::string many =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do " + leave_a_daemon + "done; exit 0";
  CHECK(run(place.shell(many)).exit_code == 0);
  CHECK(place.pids().size() == 23);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
}

TEST_CASE("ProcessRunner: a process that forks its successor and ends is caught", "[process][escape]") {
  const Place place;
  const fs::path script = place.folder / "runs_away";
  // Forty generations, each in a session of its own; the last one stays.
  REQUIRE(write_file_atomically(script,
                                "n=$1\nif [ $n -lt 40 ]; then setsid sh $0 $((n + 1)) &\n"
                                "else echo $$ >> $PIDS; exec sleep 1000; fi\n"));
  CHECK(run(place.shell("sh " + script.string() + " 1 </dev/null >/dev/null 2>&1; exit 0")).exit_code == 0);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
  // And none of them is still on its way: nobody writes another number.
  const std::size_t seen = place.pids().size();
  std::this_thread::sleep_for(500ms);
  CHECK(place.pids().size() == seen);
}

TEST_CASE("ProcessRunner: a fork bomb ends with its command", "[process][escape]") {
  const ControlGroup group(100);
  if (!group.exists()) {
    WARN("not tried: this machine allows no control group, and without one a fork bomb is not safe");
    return;
  }
  const Place place;
  const fs::path script = place.folder / "bomb";
  const std::string apart = GENERATE(std::string(), std::string("setsid "));  // each in a session of its own
  REQUIRE(write_file_atomically(script, "echo $$ >> $PIDS; while :; do " + apart + "sh $0 & done 2>/dev/null\n"));
  // A shell ends where it cannot fork, so the first one of the bomb may end: the command itself sleeps. It is stopped
  // once the bomb has gone off, however slow the machine is.
  const Command command =
      place.shell(group.enter() + "sh " + script.string() + " </dev/null >/dev/null 2>&1 & exec sleep 1000");
  std::stop_source stop;
  const std::jthread watcher([&place, &stop] {
    static_cast<void>(place.wait_for_pids(21));
    stop.request_stop();
  });
  const ProcessOutcome outcome = run(command, stop.get_token());
  CHECK(outcome.exit_code != 9);
  CHECK(outcome.interrupted);
  CHECK(place.pids().size() > 20);
  CHECK(group.processes().empty());
}

TEST_CASE("ProcessRunner: what a killed tbci started ends with it", "[process][escape]") {
  const Place place;
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    SystemProcessRunner processes;
    static_cast<void>(processes.run(place.shell(leave_a_daemon + "sleep 1000 & echo $! >> $PIDS; wait"), {}));
    ::_exit(0);
  }
  REQUIRE(place.wait_for_pids(2));
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  for (int round = 0; round < 500 && !still_running(place.pids()).empty(); ++round) std::this_thread::sleep_for(10ms);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
  // The other's guard became a child of this process, as it would of process 1.
  for (int round = 0; round < 500 && ::waitpid(-1, nullptr, WNOHANG) >= 0; ++round) std::this_thread::sleep_for(10ms);
}

TEST_CASE("ProcessRunner: a child that kills its guard counts as killed, and what it left ends", "[process][escape]") {
  const Place place;
  const ProcessOutcome outcome = run(place.shell(leave_a_daemon + "kill -9 $PPID; sleep 1000"));
  CHECK(outcome.signal == SIGKILL);
  CHECK_FALSE(outcome.timed_out);
  REQUIRE(place.pids().size() == 1);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
  CHECK(zombies() == 0);
}

TEST_CASE("ProcessRunner: a confined child cannot signal its guard", "[process][escape]") {
  if (const SandboxSupport support = sandbox_support(); support.version == 0 || !support.missing.empty()) {
    WARN("skipped: " << support.missing);
    return;
  }
  const Place place;
  Command command =
      place.shell("kill -9 $PPID 2>/dev/null || echo refused; kill -STOP $PPID 2>/dev/null || echo again");
  command.writable.emplace();
  CHECK(run(command).output == "refused\nagain\n");
}

TEST_CASE("ProcessRunner: several commands at once end their own descendants and no others", "[process][escape]") {
  const Place place;
  std::vector<std::string> outputs(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      threads.emplace_back([&, i] {
        SystemProcessRunner processes;
        // The odd ones end at once; the even ones have a daemon that must still run when the odd ones are cleaned up.
        const std::string script =
            i % 2 == 1 ? leave_a_daemon + "echo whole" : "setsid sh -c 'sleep 1.5; echo whole' & sleep 0.1; wait";
        for (int round = 0; round < (i % 2 == 1 ? 5 : 1); ++round) {
          const auto outcome = processes.run(place.shell(script), {});
          outputs[i] = outcome ? outcome->output : outcome.error().message;
        }
      });
    }
  }
  for (const std::string& output : outputs) CHECK(output == "whole\n");
  CHECK(place.pids().size() == 10);
  CHECK(still_running(place.pids()) == std::vector<std::string>{});
}

TEST_CASE("ProcessRunner: an endless log costs its command and little memory", "[process][escape]") {
  const Place place;
  Command command = place.shell("while :; do echo 0123456789012345678901234567890123456789; done");
  command.time_limit = 1s;
  command.kept_output_bytes = 1000;
  std::size_t lines = 0;
  command.on_output_line = [&](std::string_view) { ++lines; };
  const ProcessOutcome outcome = run(command);
  CHECK(outcome.timed_out);
  CHECK(outcome.output.size() <= 1000);
  CHECK(outcome.wall < 10s);
  CHECK(lines > 0);
}

}  // namespace tbci::process_escape_test
