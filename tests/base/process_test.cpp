#include "base/process.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/process_tree.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::process_test {

namespace {

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  return command;
}

ProcessOutcome run(const Command& command, std::stop_token stop = {}) {
  SystemProcessRunner processes;
  const auto outcome = processes.run(command, std::move(stop));
  INFO((outcome ? std::string() : outcome.error().message));
  REQUIRE(outcome);
  return *outcome;
}

// A process is gone, or a zombie that waits for init.
bool gone(const std::string& pid) {
  const auto stat = read_file("/proc/" + pid + "/stat");
  return !stat || stat->find(") Z ") != std::string::npos || stat->empty();
}

}  // namespace

TEST_CASE("ProcessRunner: both streams, the exit code and the working folder", "[process]") {
  test::TemporaryDirectory folder;
  Command command = shell("echo out; echo err >&2; pwd; exit 7");
  command.directory = folder.path();
  const ProcessOutcome outcome = run(command);
  CHECK(outcome.exit_code == 7);
  CHECK(outcome.signal == 0);
  CHECK_FALSE(outcome.succeeded());
  CHECK(outcome.output == "out\n" + folder.path().string() + "\n");
  CHECK(outcome.error == "err\n");
  CHECK(describe(outcome, std::chrono::seconds(1)) == "exit code 7");
}

TEST_CASE("ProcessRunner: an outcome names its signal", "[process]") {
  const ProcessOutcome outcome = run(shell("kill -SEGV $$"));
  CHECK(outcome.signal == SIGSEGV);
  CHECK(outcome.exit_code == 128 + SIGSEGV);
  CHECK(describe(outcome, std::chrono::seconds(1)) == "killed by SIGSEGV");
}

TEST_CASE("ProcessRunner: a real-time signal has a number and no name", "[process]") {
  const ProcessOutcome outcome = run(shell("kill -s " + std::to_string(SIGRTMIN + 1) + " $$"));
  CHECK(outcome.signal == SIGRTMIN + 1);
  CHECK(describe(outcome, std::chrono::seconds(1)) == "killed by signal " + std::to_string(SIGRTMIN + 1));
}

TEST_CASE("ProcessRunner: arguments reach the program as they are, no shell reads them", "[process]") {
  Command command;
  command.arguments = {"printf", "%s|", "a b", "$HOME", "`id`", "; exit 1", ""};
  CHECK(run(command).output == "a b|$HOME|`id`|; exit 1||");
}

TEST_CASE("ProcessRunner: whole lines are handed on, the last one without a newline too", "[process]") {
  std::vector<std::string> lines;
  Command command = shell("printf 'one\\n'; printf 'tw'; printf 'o\\n\\nthree'");
  command.on_output_line = [&](std::string_view line) { lines.emplace_back(line); };
  run(command);
  CHECK(lines == std::vector<std::string>{"one", "two", "", "three"});
}

TEST_CASE("ProcessRunner: a line over a mebibyte is cut, and the next one is whole", "[process]") {
  std::vector<std::size_t> sizes;
  Command command = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo next");
  command.kept_output_bytes = 100;
  command.on_output_line = [&](std::string_view line) { sizes.push_back(line.size()); };
  const ProcessOutcome outcome = run(command);
  CHECK(sizes == std::vector<std::size_t>{1 << 20, 4});
  CHECK(outcome.output.size() == 100);
  CHECK(outcome.output.ends_with("x\nnext\n"));
}

TEST_CASE("ProcessRunner: the time limit ends the process and all that it started", "[process]") {
  test::TemporaryDirectory folder;
  Command command = shell("sleep 1000 & echo $! > " + (folder / "pid").string() + "; wait");
  command.time_limit = std::chrono::milliseconds(500);
  const ProcessOutcome outcome = run(command);
  CHECK(outcome.timed_out);
  CHECK_FALSE(outcome.succeeded());
  CHECK(describe(outcome, command.time_limit).starts_with("ended after its limit"));
  const std::string pid(trim(read_file(folder / "pid").value()));
  REQUIRE_FALSE(pid.empty());
  // The signal is sent; the kernel needs a moment to take the process away.
  while (!gone(pid)) std::this_thread::yield();
  CHECK(gone(pid));
}

TEST_CASE("Process tree: a process that cannot be read any more has no parent, and nothing is thrown", "[process]") {
  const test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "whole" / "stat", "12 (any (name) here) S 1200 7 7"));
  CHECK(parent_of(folder / "whole") == 1200);
  REQUIRE(write_file_atomically(folder / "cut" / "stat", "12 (name)"));
  CHECK(parent_of(folder / "cut") == 0);
  CHECK(parent_of(folder / "none") == 0);
  // It opens, and reading it fails: as where a process ends between the two.
  std::filesystem::create_directories(folder / "ended" / "stat");
  CHECK(parent_of(folder / "ended") == 0);
}

TEST_CASE("ProcessRunner: descendants in process groups and sessions of their own are ended too", "[process]") {
  test::TemporaryDirectory folder;
  const std::string pids = (folder / "pids").string();
  Command command = shell("setsid sh -c 'echo $$ >> " + pids + "; sleep 1000 & echo $! >> " + pids +
                          "; wait' </dev/null >/dev/null 2>&1 & set -m; sleep 1000 & echo $! >> " + pids +
                          "; while [ $(wc -l < " + pids + ") -lt 3 ]; do sleep 0.01; done; echo ready; wait");
  std::stop_source stop;
  command.on_output_line = [&](std::string_view) { stop.request_stop(); };
  CHECK(run(command, stop.get_token()).interrupted);
  const auto all = split(trim(read_file(folder / "pids").value()), '\n');
  REQUIRE(all.size() == 3);
  for (const std::string& pid : all) {
    while (!gone(pid)) std::this_thread::yield();
    CHECK(gone(pid));
  }
}

TEST_CASE("ProcessRunner: a descriptor that a library left open does not reach the child", "[process]") {
  const int left_open = ::open("/dev/null", O_RDONLY);  // NOLINT: without O_CLOEXEC, on purpose
  REQUIRE(left_open > 2);
  const ProcessOutcome outcome = run(shell("[ ! -e /proc/self/fd/" + std::to_string(left_open) + " ]"));
  ::close(left_open);
  CHECK(outcome.succeeded());
}

TEST_CASE("ProcessRunner: what a finished leader left running goes with it", "[process]") {
  test::TemporaryDirectory folder;
  const ProcessOutcome outcome =
      run(shell("sleep 1000 >/dev/null 2>&1 & echo $! > " + (folder / "pid").string() + "; exit 0"));
  CHECK(outcome.succeeded());
  const std::string pid(trim(read_file(folder / "pid").value()));
  while (!gone(pid)) std::this_thread::yield();
  CHECK(gone(pid));
}

TEST_CASE("ProcessRunner: a request to stop ends it, and one made before lets nothing run long", "[process]") {
  std::stop_source stop;
  Command command = shell("echo begun; sleep 1000");
  command.on_output_line = [&](std::string_view) { stop.request_stop(); };
  const ProcessOutcome outcome = run(command, stop.get_token());
  CHECK(outcome.interrupted);
  CHECK_FALSE(outcome.timed_out);
  CHECK(run(shell("sleep 1000"), stop.get_token()).interrupted);
  SystemProcessRunner processes;
  const auto checked = run_checked(processes, shell("sleep 1000"), stop.get_token());
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::interrupted);
}

TEST_CASE("ProcessRunner: once a stop was requested nothing is started, however quickly it would end", "[process]") {
  const test::TemporaryDirectory folder;
  std::stop_source stop;
  stop.request_stop();
  const ProcessOutcome outcome = run(shell("echo > " + (folder / "ran").string()), stop.get_token());
  CHECK(outcome.interrupted);
  CHECK_FALSE(outcome.succeeded());
  CHECK_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST_CASE("ProcessRunner: only listed variables are inherited, no secrets, and given variables win", "[process]") {
  const test::EnvironmentVariable token("TBCI_TEST_TOKEN", "s3cret"), password("TBCI_TEST_password", "s3cret"),
      plain("TBCI_TEST_PLAIN", "inherited"), own("TBCI_TEST_OWN", "inherited"), other("OTHER_TEST_PLAIN", "stays");
  Command command;
  command.arguments = {"env"};
  command.environment = {{"TBCI_TEST_OWN", "given"}, {"TBCI_GIVEN_SECRET", "meant"}};
  const std::string seen = run(command).output;
  CHECK(seen.find("s3cret") == std::string::npos);
  CHECK(seen.find("TBCI_TEST_PLAIN=inherited\n") != std::string::npos);
  CHECK(seen.find("OTHER_TEST_PLAIN") == std::string::npos);
  command.inherited = Inherited::all_but_secrets;
  CHECK(run(command).output.find("OTHER_TEST_PLAIN=stays\n") != std::string::npos);
  CHECK(seen.find("TBCI_TEST_OWN=given\n") != std::string::npos);
  CHECK(seen.find("TBCI_TEST_OWN=inherited") == std::string::npos);
  CHECK(seen.find("TBCI_GIVEN_SECRET=meant\n") != std::string::npos);
}

TEST_CASE("ProcessRunner: git's own variables of a hook that started us are not inherited", "[process]") {
  const std::vector<std::string> names = {
      "GIT_DIR",       "GIT_WORK_TREE",        "GIT_INDEX_FILE", "GIT_COMMON_DIR",
      "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",     "GIT_ALTERNATE_OBJECT_DIRECTORIES"};
  for (const std::string& name : names) ::setenv(name.c_str(), "/of/a/hook", 1);
  Command command;
  command.arguments = {"env"};
  command.environment = {{"GIT_INDEX_FILE", "given"}};
  const std::string seen = run(command).output;
  for (const std::string& name : names) ::unsetenv(name.c_str());
  CHECK(seen.find("/of/a/hook") == std::string::npos);
  CHECK(seen.find("GIT_INDEX_FILE=given\n") != std::string::npos);
}

TEST_CASE("ProcessRunner: what cannot be started is an error that names it", "[process]") {
  SystemProcessRunner processes;
  Command command;
  command.arguments = {"tbci-no-such-program"};
  const auto missing = processes.run(command, {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::machine);
  CHECK(missing.error().message.find("tbci-no-such-program") != std::string::npos);
  CHECK_FALSE(processes.run(Command{}, {}));
  test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "text", "no program\n"));
  command.arguments = {(folder / "text").string()};
  CHECK_FALSE(processes.run(command, {}));
  command.arguments = {"true"};
  command.directory = folder / "nowhere";
  const auto nowhere = processes.run(command, {});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message.find("nowhere") != std::string::npos);
}

TEST_CASE("ProcessRunner: the standard input is the given descriptor, which stays open, or there is nothing to read",
          "[process]") {
  CHECK(run(shell("cat; readlink /proc/self/fd/0")).output == "/dev/null\n");
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  Descriptor ours(ends[0]), given(ends[1]);
  Command command = shell("read line; echo \"heard $line\"; echo answer >&0");
  command.input = given.get();
  REQUIRE(::write(ours.get(), "question\n", 9) == 9);
  CHECK(run(command).output == "heard question\n");
  given.reset();  // the child has ended: nobody else holds that end
  std::string heard;
  std::array<char, 64> buffer{};
  for (ssize_t got; (got = ::read(ours.get(), buffer.data(), buffer.size())) > 0;)
    heard.append(buffer.data(), static_cast<std::size_t>(got));
  CHECK(heard == "answer\n");
}

TEST_CASE("ProcessRunner: it runs on the CPUs that it is pinned to and no others", "[process]") {
  Command command = shell("grep Cpus_allowed_list /proc/self/status");
  command.cpus = {0};
  CHECK(trim(run(command).output).ends_with("\t0"));
  command.cpus = {-1};
  SystemProcessRunner processes;
  CHECK_FALSE(processes.run(command, {}));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("ProcessRunner: a child cannot get more memory than its limit", "[process]") {
  Command command;
  command.arguments = {"dd", "if=/dev/zero", "of=/dev/null", "bs=512M", "count=1"};
  command.memory_limit_bytes = std::uint64_t{256} << 20;
  CHECK_FALSE(run(command).succeeded());
  command.memory_limit_bytes = std::uint64_t{2} << 30;
  CHECK(run(command).succeeded());
}
#endif

TEST_CASE("run_checked: a failure carries the command, how it ended and what it said", "[process]") {
  SystemProcessRunner processes;
  const auto failed = run_checked(processes, shell("echo reason >&2; exit 4"));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::failed);
  CHECK(failed.error().message.find("exit code 4") != std::string::npos);
  CHECK(failed.error().message.find("reason") != std::string::npos);
  CHECK(failed.error().message.find('\n') == std::string::npos);
}

}  // namespace tbci::process_test
