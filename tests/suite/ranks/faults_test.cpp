// Ranks that die and ranks that hang, with the worker as it is used.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "suite/ranks/cpus.hpp"
#include "tests/suite/ranks/worker.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using test::RunningWorker;

namespace {

std::vector<std::string> endless(const std::vector<std::string>& more = {"--ranks", "3"}) {
  std::vector<std::string> words{"run", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train", "--batch",
                                 "48",  "--warmup",    "1",           "--iterations",    "1000000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Until it iterates.
std::vector<int> ranks_at_work(RunningWorker& worker) {
  for (std::string line = worker.next_line(); !line.empty(); line = worker.next_line()) {
    if (line.find("\"sample\"") != std::string::npos) return worker.ranks();
  }
  return {};
}

struct Ended {
  std::string last_line;
  int exit_code;
  double seconds;
};

Ended end_of(RunningWorker& worker) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string rest = worker.rest();
  const std::size_t last = rest.rfind("\n{");
  Ended ended{last == std::string::npos ? rest : rest.substr(last + 1), worker.wait(), 0};
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ended;
}

void check_gone(const std::vector<int>& processes) {
  // The kernel takes a moment for those of a process that died.
  for (int i = 0; i < 200; ++i) {
    bool one = false;
    for (const int pid : processes) one = one || test::exists(pid);
    if (!one) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL("a rank is left");
}

struct Fault {
  const char* name;
  int signal;
  const char* reason;
};

}  // namespace

TEST_CASE("Ranks: one that dies or hangs is named, and the others end", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  for (const Fault& fault :
       {Fault{"killed", SIGKILL, "rank 2 died by signal 9"}, Fault{"crashed", SIGSEGV, "rank 2 died by signal 11"},
        Fault{"stopped", SIGSTOP, "rank 2 gave no sign of life for 3 s"}}) {
    INFO(fault.name);
    RunningWorker worker(endless());
    const std::vector<int> ranks = ranks_at_work(worker);
    REQUIRE(ranks.size() == 2);
    REQUIRE(::kill(ranks[1], fault.signal) == 0);
    const Ended ended = end_of(worker);
    CHECK(ended.last_line.find("{\"type\":\"error\",\"kind\":\"exception\",\"message\":\"" + std::string(fault.reason) +
                               "\"}") == 0);
    CHECK(ended.exit_code == 3);
    CHECK(ended.seconds < 5.0);
    check_gone(ranks);
  }
}

TEST_CASE("Ranks: one that ends before it meets the others is named as soon", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  // It says that it is ready, and ends when it is asked to connect.
  std::string script = (std::filesystem::temp_directory_path() / "tbci-rank-XXXXXX").string();
  const int file = ::mkstemp(script.data());
  REQUIRE(file >= 0);
  const std::string text = "#!/bin/sh\nprintf b12345678 >&3\nhead -c 1 <&3 >/dev/null\nexit 7\n";
  REQUIRE(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  REQUIRE(::fchmod(file, 0700) == 0);
  REQUIRE(::close(file) == 0);
  ::setenv("TBCI_RANK_PROGRAM", script.c_str(), 1);
  RunningWorker worker(endless());
  const Ended ended = end_of(worker);
  ::unlink(script.c_str());
  CHECK(ended.last_line.find("ended with exit code 7") != std::string::npos);
  CHECK(ended.seconds < 5.0);
}

TEST_CASE("Ranks: none outlives the first one, however that ends", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  RunningWorker worker(endless());
  const std::vector<int> ranks = ranks_at_work(worker);
  REQUIRE(ranks.size() == 2);
  ::kill(worker.pid(), SIGKILL);
  CHECK(worker.wait() == -SIGKILL);
  check_gone(ranks);
}

TEST_CASE("Ranks: the worker says why it cannot run them", "[suite]") {
  const auto said = [](const std::vector<std::string>& arguments) {
    RunningWorker worker(arguments);
    return end_of(worker).last_line;
  };
  const std::string cpus = std::to_string(ranks::allowed_cpus().size());
  CHECK(said(endless({"--ranks", "16", "--threads", "1024"})) ==
        "{\"type\":\"error\",\"kind\":\"unsupported\",\"message\":\"16 ranks need 1024 CPUs each, and this process may "
        "use " +
            cpus + " (--ranks, --threads, the CPUs that the worker is pinned to)\"}\n");
  CHECK(said({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", "--ranks", "2"})
            .find("dlrm runs in one process: leave out --ranks") != std::string::npos);
  CHECK(said({"run", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train", "--ranks", "3", "--batch", "2"})
            .find("3 ranks share a batch of 2: each needs a sample (--ranks, --batch)") != std::string::npos);
  CHECK(said(endless({"--precision", "bf16"})).find("those compute in fp32 alone") != std::string::npos);
  CHECK(said(endless({"--backend", "jit"})).find("those run eager code alone") != std::string::npos);
}

TEST_CASE("Ranks: nothing of the worker is made of a class of Gloo", "[suite]") {
  std::ifstream file(test::worker_of_tests(), std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(program.find("_ZN4c10d16ProcessGroupGloo") != std::string::npos);
  // Functions, tables of virtual functions and types of Gloo's own, and the one class of c10d that derives from one.
  for (const char* symbol : {"_ZN4gloo", "_ZNK4gloo", "_ZTVN4gloo", "_ZTIN4gloo", "GlooStoreE"}) {
    INFO(symbol);
    CHECK(program.find(symbol) == std::string::npos);
  }
}
