// `tbci bisect --repository`: a C program, its compiler and git are all that it takes; neither LibTorch nor a
// configuration is there.
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::any_repository_test {

using namespace tbci::test;

namespace {

namespace fs = std::filesystem;

// Processor time, and the least of several: right beside whatever else this machine does.
constexpr const char* bench_c = R"(#include <stdio.h>
#include <time.h>
#include "work.h"
static double once(void) {
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  volatile double sum = 0;
  for (int i = 0; i < ROUNDS; ++i) sum += i * 0.5;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  return 1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
}
int main(void) {
  double least = once();
  for (int i = 0; i < 8; ++i) { double one = once(); if (one < least) least = one; }
  printf("of 9 times\n%.6f\n", least);
  return RESULT;
}
)";

struct Program {
  TemporaryDirectory folder;
  GitFixture git{folder / "repository"};
  std::vector<std::string> ids;

  Program() {
    git.write("Makefile", "bench: bench.c work.h\n\tcc -O1 -o bench bench.c\n");
    git.write("bench.c", bench_c);
    commit("base", 1000000, "0");
    commit("harmless", 1000001, "0");
    git.write("README", "words");
    commit("words only", 1000001, "0");
    commit("harmless", 1000002, "0");
    commit("harmless", 1000003, "0");
    commit("slower (#77)", 1300000, "0");
    commit("does not compile", 1300000, "oops");
    commit("tells nothing", 1300000, "125");
    commit("works again", 1300001, "0");
    git.write("README", "more words");
    commit("words only", 1300001, "0");
    commit("harmless", 1300002, "0");
  }

  void commit(const std::string& subject, int rounds, const std::string& result) {
    git.write("work.h", fmt::format("#define ROUNDS {}\n#define RESULT {}\n", rounds, result));
    ids.push_back(git.commit(subject, fmt::format("2026-01-{:02}T08:00:00Z", ids.size() + 1)));
  }

  Command command(std::vector<std::string> more = {}) const {
    Command command;
    command.arguments = {TBCI_BINARY, "--json",    "bisect", "--repository", git.path().string(),
                         "--from",    ids.front(), "--to",   ids.back()};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    command.environment = {{"XDG_STATE_HOME", (folder / "state").string()}, {"TBCI_CONFIG", "/nowhere/tbci.toml"}};
    return command;
  }
  Command search(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"--build", "make -j2", "--measure", "./bench",    "--unit",
                                          "ms",      "--jobs",   "2",         "--compiled", "*.c,*.h,Makefile"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments);
  }
  /// The only journal there is; empty where there is none yet.
  std::string journal() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder / "state/tbci/bisect", none)) {
      if (const auto text = read_file(entry.path() / "journal.jsonl")) return *text;
    }
    return "";
  }
};

void check_refused(const Answer& answer, const std::string& what) {
  INFO(answer.error << answer.output);
  CHECK(answer.exit_code == 2);
  CHECK(answer.error.find(what) != std::string::npos);
  CHECK(answer.output.empty());
}

}  // namespace

TEST_CASE("Any repository: the commit that slowed a C program, among broken ones", "[e2e]") {
  Program program;
  const std::string log = (program.folder / "log").string();
  const Answer answer = run(program.search({"--log", log}));
  INFO(answer.error << answer.output << program.journal());
  REQUIRE(answer.exit_code == 1);
  const nlohmann::json json = answer.json();
  REQUIRE(json["culprits"].size() == 1);
  const nlohmann::json culprit = json["culprits"][0];
  CHECK(culprit["commit"] == program.ids[5]);
  CHECK(culprit["change"].get<double>() == Approx(0.3).margin(0.1));
  CHECK(culprit["interval"][0].get<double>() <= culprit["change"].get<double>());
  CHECK(json["suspects"].empty());
  CHECK(json["bad"].get<double>() > json["good"].get<double>());
  CHECK(json["builds"].get<int>() <= 8);
  CHECK(json["measurements"].get<int>() >= 12);
  CHECK(program.git.git({"status", "--porcelain"}).empty());
  CHECK(program.git.git({"worktree", "list"}).find('\n') == std::string::npos);
  const std::string said = program.git.git({"bisect", "replay", log});
  CHECK(said.find(program.ids[5] + " is the first bad commit") != std::string::npos);

  // Once finished, it answers from its journal.
  const std::string journal = program.journal();
  const Answer again = run(program.search({"--resume"}));
  CHECK(again.output == answer.output);
  CHECK(program.journal() == journal);

  Command text = program.search();
  text.arguments.erase(text.arguments.begin() + 1);
  const Answer spoken = run(text);
  INFO(spoken.output);
  CHECK(spoken.output.find(program.ids[5] + " 2026-01-06 Ada Author: slower (#77)") != std::string::npos);
  CHECK(spoken.output.find(" ms at the good end") != std::string::npos);
}

// Runs until killed: when one more build or measurement is in the journal, or at a random moment before that.
Answer search_until_killed(const Program& program, int round, unsigned moment) {
  std::stop_source stop;
  const auto paid = [&program] { return split(program.journal(), '\n').size(); };
  const std::jthread killer([&, before = paid()](const std::stop_token& done) {
    const auto begin = std::chrono::steady_clock::now();
    const auto longest = std::chrono::milliseconds(round % 5 == 4 ? 60'000 : 10 + moment % 60);
    while (!done.stop_requested() && paid() <= before && std::chrono::steady_clock::now() < begin + longest)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stop.request_stop();
  });
  return run(program.search(), stop.get_token());
}

TEST_CASE("Any repository: killed at fifty points, it repeats nothing and ends with the same commit", "[e2e]") {
  const Program program;
  constexpr unsigned seed = 20261122;
  WARN("seed of the moments: " << seed);
  std::mt19937 moments(seed);
  Answer answer;
  int kills = 0;
  for (; kills < 400; ++kills) {
    answer = search_until_killed(program, kills, static_cast<unsigned>(moments()));
    if (answer.exit_code == 1 && !answer.output.empty()) break;
  }
  INFO(kills << " kills\n" << answer.error << answer.output);
  CHECK(kills >= 50);
  REQUIRE(answer.exit_code == 1);
  CHECK(answer.json()["culprits"][0]["commit"] == program.ids[5]);
  std::set<std::string> seen;
  for (const std::string& line : split(program.journal(), '\n')) {
    if (line.empty()) continue;
    const auto json = nlohmann::json::parse(line);
    const std::string key = json.contains("build") ? json["build"].get<std::string>() : json.value("run", "");
    INFO(line);
    CHECK(seen.insert(key).second);
  }
}

TEST_CASE("Any repository: the plan costs nothing", "[e2e]") {
  const Program program;
  const Answer answer = run(program.command({"--dry-run", "--compiled", "*.c,*.h,Makefile"}));
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 0);
  const nlohmann::json json = answer.json();
  CHECK(json["commits"] == 10);
  CHECK(json["distinct_builds"] == 9);
  CHECK(json["expected_builds"] == 5);
  CHECK(json["worst_case_builds"] == 9);
  CHECK(json["history"][5]["pull_request"] == 77);
  CHECK(json["history"][2]["touched"] == std::vector<std::string>{"README"});
  CHECK(json["history"][2]["class"] == json["history"][1]["class"]);
  CHECK_FALSE(fs::exists(program.folder / "state"));
}

TEST_CASE("Any repository: wrong use says what is wrong", "[e2e]") {
  const Program program;
  check_refused(run(program.command({"--build", "make"})), "--measure");
  check_refused(run(program.command({"--measure", "make && ./bench"})), "sh -c");
  check_refused(run(program.search({"--higher-is-better", "--threshold", "1.5"})), "below 1");
  check_refused(run(program.search({"--series", "a/cpu-infer/time"})), "--series");
  Command command = program.search();
  command.arguments[4] = (program.folder / "nothing").string();
  check_refused(run(command), "no git repository");
  command = program.search();
  std::swap(command.arguments[6], command.arguments[8]);
  check_refused(run(command), "swap the two ends");
  command = program.search();
  command.arguments[6] = std::string(40, '7');
  check_refused(run(command), "no commit");
  command = program.search();
  command.arguments.erase(command.arguments.begin() + 3, command.arguments.begin() + 5);
  check_refused(run(command), "--repository");
}

}  // namespace tbci::any_repository_test
