// Trouble around a search: kills, full folders, broken ends, slow commands, leftovers.
#include <algorithm>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/busy_directory.hpp"
#include "tests/repo_bisect/number_repository.hpp"

namespace tbci::repository_trouble_test {

using namespace tbci::repo_bisect;
using namespace tbci::repo_bisect::test;
namespace fs = std::filesystem;

TEST_CASE("Repository bisection: stopped anywhere, it resumes without repeating finished work", "[repo_bisect][long]") {
  NumberRepository place(step(5, 2, 100, 112));
  const RepositoryAnswer expected = place.search();
  CHECK(expected.bisection.answers.front().suspects == Ids{place.ids[2]});
  const int commands = place.processes.started;
  CHECK(commands >= 8);

  for (int cut = 0; cut < commands; cut += 3) {  // every third command: each pass clones and builds again
    INFO("stopped before command " << cut << " of " << commands);
    place.state_name = fmt::format("state-{}", cut);
    place.processes.started = 0;
    place.processes.refuse_from = cut;
    const auto stopped = place.try_search();
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == ErrorKind::interrupted);
    place.processes.refuse_from = -1;
    const RepositoryAnswer answer = place.search();
    CHECK(answer.bisection.answers.front().suspects == Ids{place.ids[2]});
    CHECK(answer.bisection.builds == expected.bisection.builds);
    CHECK(answer.bisection.measurements == expected.bisection.measurements);
    CHECK(place.processes.started == commands);
  }
  place.state_name = "state";
  place.processes.started = 0;
  const RepositoryAnswer again = place.search();
  CHECK(again.bisection.answers.front().suspects == expected.bisection.answers.front().suspects);
  CHECK(place.processes.started == 0);
}

TEST_CASE("Repository bisection: trees removed to save space are rebuilt, and the answer is the same",
          "[repo_bisect][long]") {
  NumberRepository place(step(9, 4, 100, 112));
  place.job.kept_trees_bytes = 1;
  const RepositoryAnswer answer = place.search();
  CHECK(answer.bisection.answers.front().suspects == Ids{place.ids[4]});
  const auto marks = std::count_if(fs::directory_iterator(place.state() / "trees"), fs::directory_iterator(),
                                   [](const auto& entry) { return entry.path().extension() == ".built"; });
  CHECK(marks <= 2);  // a pair
  CHECK(answer.bisection.builds + answer.rebuilds == place.processes.builds_finished);
}

TEST_CASE("Repository bisection: files that a killed process left in a tree are repaired", "[repo_bisect][long]") {
  NumberRepository place(step(6, 3, 100, 112));
  place.search();
  fs::remove(place.state() / "journal.jsonl");
  const fs::path tree = place.state() / "trees" / place.ids.front();
  fs::remove(tree.string() + ".built");
  REQUIRE(write_file_atomically(tree / ".git/index.lock", ""));
  REQUIRE(write_file_atomically(tree / "number", "55\n"));
  REQUIRE(write_file_atomically(tree / "built", "55\n"));
  const RepositoryAnswer answer = place.search();
  CHECK(answer.bisection.answers.front().suspects == Ids{place.ids[3]});
  CHECK(answer.numbers.at(place.ids.front()).front() == 100);
}

TEST_CASE("Repository bisection: it waits for processes that a killed command left in a tree", "[repo_bisect]") {
  NumberRepository place(step(4, 2, 100, 112));
  place.search();
  fs::remove(place.state() / "journal.jsonl");
  const fs::path tree = place.state() / "trees" / place.ids.front();
  const std::jthread leaver([&tree] {
    SystemProcessRunner processes;
    Command command;
    command.arguments = {"sleep", "0.5"};
    command.directory = tree;
    const auto ignored = processes.run(command, {});
  });
  while (!runner::is_busy_directory(tree)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(place.suspects() == Ids{place.ids[2]});
}

TEST_CASE("Repository bisection: the user's checkout stays unchanged", "[repo_bisect][long]") {
  NumberRepository place(step(6, 3, 100, 112));
  place.git.git({"checkout", "--quiet", "--detach", place.ids[1]});
  place.git.write("number", "mine");
  place.git.write("new", "mine");
  const auto look = [&] {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(place.git.path())) {
      if (entry.is_regular_file()) text += entry.path().string() + " " + sha256_hex(*read_file(entry.path())) + "\n";
    }
    return text;
  };
  const std::string before = look();
  CHECK(place.suspects() == Ids{place.ids[3]});
  CHECK(look() == before);
}

TEST_CASE("Repository bisection: commits without a branch are found as well", "[repo_bisect]") {
  NumberRepository place(step(6, 3, 100, 112));
  place.git.git({"reset", "--quiet", "--hard", place.ids[0]});
  CHECK(place.suspects() == Ids{place.ids[3]});
}

TEST_CASE("Repository bisection: a failed measurement is tried again, one at its limit is not", "[repo_bisect]") {
  NumberRepository flaky(step(4, 2, 100, 112));
  const std::string mark = (flaky.folder / "mark").string();
  flaky.job.measure = {"sh", "-c", "cat built; test -e " + mark + " || { : > " + mark + "; exit 1; }"};
  CHECK(flaky.suspects() == Ids{flaky.ids[2]});

  NumberRepository slow(step(3, 1, 100, 112));
  slow.job.measure = {"sleep", "20"};
  slow.job.measure_limit = std::chrono::milliseconds(200);
  CHECK(slow.failure().find("--measure-timeout") != std::string::npos);
  CHECK(slow.processes.runs_finished == 1);
}

TEST_CASE("Repository bisection: a failing end is an error with its place, and is tried again", "[repo_bisect][long]") {
  NumberRepository place(step(4, 2, 100, 112));
  place.job.measure = {"sh", "-c", "test -e ../../../fixed && cat built || echo what"};
  const std::string unmeasured = place.failure();
  CHECK(unmeasured.find("the good end " + place.ids[0].substr(0, 12) + " cannot be measured") == 0);
  CHECK(unmeasured.find("'what'") != std::string::npos);
  CHECK(unmeasured.find((place.state() / "trees" / place.ids[0]).string()) != std::string::npos);
  const int builds = place.processes.builds_finished;
  REQUIRE(write_file_atomically(place.folder / "fixed", ""));
  CHECK(place.suspects() == Ids{place.ids[2]});
  CHECK(place.processes.builds_finished == builds + 2);

  NumberRepository broken(step(4, 2, 100, 112));
  const fs::path fixed = broken.folder / "fixed";
  broken.job.build = {
      "sh", "-c", "cp number built; grep 112 built || exit 0; echo 'x.c:1: error: no' >&2; test -e " + fixed.string()};
  const std::string unbuilt = broken.failure();
  CHECK(unbuilt.find("the bad end " + broken.ids[3].substr(0, 12) + " does not build: x.c:1: error: no") == 0);
  CHECK(unbuilt.find((broken.state() / "logs" / (broken.ids[3] + ".log")).string()) != std::string::npos);
  REQUIRE(write_file_atomically(fixed, ""));
  CHECK(broken.suspects() == Ids{broken.ids[2]});
}

TEST_CASE("Repository bisection: a build or measurement stopped at a limit is tried again only with a longer one",
          "[repo_bisect][long]") {
  NumberRepository place(step(3, 3, 100, 100));
  const std::string fast = "cp number built\n", slow = "sleep 0.7; " + fast;
  place.git.write("build.sh", slow);
  place.add(112);
  place.git.write("build.sh", fast);
  place.git.write("measure.sh", "sleep 0.7; cat built\n");
  place.add(112);
  place.git.write("measure.sh", "cat built\n");
  place.add(112);
  place.job.build_limit = place.job.measure_limit = std::chrono::milliseconds(300);
  CHECK(place.suspects() == Ids{place.ids[3], place.ids[4], place.ids[5]});
  const int commands = place.processes.started;
  CHECK(place.suspects().size() == 3);
  CHECK(place.processes.started == commands);
  place.job.build_limit = std::chrono::minutes(1);
  CHECK(place.suspects() == Ids{place.ids[3]});
}

TEST_CASE("Repository bisection: a missing program ends the search with its name", "[repo_bisect]") {
  NumberRepository place(step(3, 1, 100, 112));
  place.job.measure = {"no-such-program-anywhere"};
  const auto answer = place.try_search();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::machine);
  CHECK(answer.error().message.find("no-such-program-anywhere") != std::string::npos);
  NumberRepository other(step(3, 1, 100, 112));
  other.job.build = {"./configure-that-is-not-there"};
  CHECK(other.failure().find("good end") != std::string::npos);
}

TEST_CASE("Repository bisection: two searches cannot use one folder at the same time", "[repo_bisect]") {
  NumberRepository place(step(3, 1, 100, 112));
  const auto lock = FileLock::acquire(place.state() / "lock");
  REQUIRE(lock);
  const auto answer = place.try_search();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::transient);
}

}  // namespace tbci::repository_trouble_test
