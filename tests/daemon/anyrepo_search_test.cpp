#include "daemon/anyrepo/repository_search.hpp"

#include <algorithm>
#include <thread>

#include "base/file.hpp"
#include "daemon/anyrepo/bisect_log.hpp"
#include "runner/inhabitants.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

using namespace tbci;
using namespace tbci::daemon;
namespace fs = std::filesystem;
using tbci::test::Approx;

namespace {

/// Runs everything for real, and counts; from one of the user's commands on it may refuse, as if a stop had come.
class CountingRunner final : public ProcessRunner {
 public:
  Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override {
    if (command.arguments.front() == "git") return real_.run(command, std::move(stop));
    if (refuse_from >= 0 && started >= refuse_from) {
      ProcessOutcome refused;
      refused.interrupted = true;
      return refused;
    }
    ++started;
    auto outcome = real_.run(command, std::move(stop));
    const bool builds = command.arguments == std::vector<std::string>{"sh", "build.sh"};
    if (outcome) (builds ? builds_finished : runs_finished) += 1;
    return outcome;
  }

  int refuse_from = -1, started = 0, builds_finished = 0, runs_finished = 0;

 private:
  SystemProcessRunner real_;
};

/// A repository whose number stands in a file, which its build copies.
struct Place {
  test::TemporaryDirectory folder;
  test::GitFixture git{folder / "repository"};
  std::vector<std::string> ids;
  RepositoryJob job;
  CountingRunner processes;
  SilentProgress progress;
  std::string state_name = "state";

  explicit Place(const std::vector<double>& numbers) {
    git.write("build.sh", "cp number built\n");
    git.write("measure.sh", "echo measuring\ncat built\n");
    for (const double number : numbers) add(number);
    job.build = {"sh", "build.sh"};
    job.measure = {"sh", "measure.sh"};
    job.unit = "ms";
  }

  void add(double number) {
    git.write("number", fmt::format("{}\n", number));
    ids.push_back(git.commit(fmt::format("commit {}", ids.size()), "2026-01-05T08:00:00Z"));
  }
  fs::path state() const { return folder / state_name; }

  std::vector<model::Commit> commits() {
    job.repository = git.path();
    job.from = ids.front();
    job.to = ids.back();
    auto found = bisect::commits_between(git.path(), ids.front(), ids.back(), job.compiled);
    REQUIRE(found);
    return *found;
  }
  Result<RepositoryAnswer> try_search() {
    const auto all = commits();
    return search_repository(job, all, state(), processes, progress, {});
  }
  RepositoryAnswer search() {
    auto answer = try_search();
    INFO((answer ? std::string() : answer.error().message));
    REQUIRE(answer);
    return std::move(*answer);
  }
  std::string failure() {
    const auto answer = try_search();
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::environment);
    return answer.error().message;
  }
  std::vector<std::string> suspects() { return search().bisection.answers.front().suspects; }
};

using Ids = std::vector<std::string>;

std::vector<double> step(std::size_t commits, std::size_t at, double before, double after) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < commits; ++i)
    numbers.push_back((i < at ? before : after) + 1e-6 * static_cast<double>(i));
  return numbers;
}

}  // namespace

TEST_CASE("Any repository: the commit that made a number larger", "[anyrepo]") {
  Place place(step(12, 7, 100, 110));
  const RepositoryAnswer answer = place.search();
  const model::Answer& found = answer.bisection.answers.front();
  CHECK(found.suspects == Ids{place.ids[7]});
  CHECK(found.change == Approx(0.1).epsilon(0.01));
  CHECK(found.low <= found.change);
  CHECK(found.high >= found.change);
  CHECK(answer.bisection.builds == place.processes.builds_finished);
  CHECK(answer.bisection.builds <= 6);
  CHECK(answer.bisection.measurements == place.processes.runs_finished);
  CHECK(answer.numbers.at(place.ids.front()).front() == 100);
}

TEST_CASE("Any repository: where higher is better, a fall is what is searched, and shown as one", "[anyrepo]") {
  Place place(step(8, 3, 200, 180));
  place.job.higher_is_better = true;
  const RepositoryAnswer answer = place.search();
  const model::Answer& found = answer.bisection.answers.front();
  CHECK(found.suspects == Ids{place.ids[3]});
  CHECK(found.change == Approx(-0.1).epsilon(0.01));
  CHECK(found.low <= found.change);
  CHECK(found.high >= found.change);
  REQUIRE(found.steps.size() == 1);
  CHECK(found.steps.front().change == Approx(-0.1).epsilon(0.01));
  CHECK(found.steps.front().low <= found.steps.front().high);
  CHECK(answer.numbers.at(place.ids.back()).front() == Approx(180));

  Place risen(step(8, 3, 180, 200));
  risen.job.higher_is_better = true;
  CHECK(risen.suspects().empty());
}

TEST_CASE("Any repository: two commits that each made it larger are both named, in the answer and the log",
          "[anyrepo]") {
  std::vector<double> numbers = step(12, 3, 100, 112);
  for (std::size_t i = 8; i < numbers.size(); ++i) numbers[i] *= 1.15;
  Place place(numbers);
  const auto commits = place.commits();
  const RepositoryAnswer answer = place.search();
  const model::Answer& found = answer.bisection.answers.front();
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].suspects == Ids{place.ids[3]});
  CHECK(found.steps[1].suspects == Ids{place.ids[8]});
  CHECK(found.steps[1].posterior > 0.99);
  const std::string log = git_bisect_log(commits, answer.probes, found, bisect::Lineage::first_parent);
  CHECK(log.find("# first bad commit: [" + place.ids[3] + "]") != std::string::npos);
  CHECK(log.find("# first bad commit: [" + place.ids[8] + "]") != std::string::npos);
}

TEST_CASE("Any repository: far below the threshold there is no culprit", "[anyrepo]") {
  Place place(step(6, 3, 100, 101.5));
  CHECK(place.suspects().empty());
  place.job.threshold = 0.015;
  CHECK(place.suspects() == Ids{place.ids[3]});
}

TEST_CASE("Any repository: commits that do not build, or say that they tell nothing, are passed over", "[anyrepo]") {
  Place place(step(5, 5, 100, 100));
  place.git.write("build.sh", "echo 'x.c:1: error: no' >&2\nexit 2\n");
  place.add(110);
  place.git.write("build.sh", "exit 125\n");
  place.add(110);
  place.git.write("build.sh", "cp number built\n");
  place.git.write("measure.sh", "exit 125\n");
  place.add(110);
  place.git.write("measure.sh", "echo no >&2; exit 3\n");
  place.add(110);
  place.git.write("measure.sh", "cat built\n");
  for (int i = 0; i < 3; ++i) place.add(110);
  const RepositoryAnswer answer = place.search();
  CHECK(answer.bisection.answers.front().suspects ==
        Ids{place.ids[5], place.ids[6], place.ids[7], place.ids[8], place.ids[9]});
  std::string reasons;
  for (const model::Probe& probe : answer.probes) reasons += probe.reason + "\n";
  INFO(reasons);
  CHECK(reasons.find("x.c:1: error: no") != std::string::npos);
  CHECK(reasons.find("the build ended with exit code 125") != std::string::npos);
  CHECK(reasons.find("the measure command ended with exit code 125") != std::string::npos);
  CHECK(reasons.find("exit code 3") != std::string::npos);
}

TEST_CASE("Any repository: patterns of what is compiled make other commits free", "[anyrepo]") {
  Place place({100});
  for (int i = 0; i < 6; ++i) {
    place.git.write("notes.md", std::to_string(i));
    place.ids.push_back(place.git.commit("words", "2026-01-05T08:00:00Z"));
  }
  place.add(120);
  place.job.compiled = {"number", "*.sh"};
  place.git.write("notes.md", "last");
  place.ids.push_back(place.git.commit("words", "2026-01-05T08:00:00Z"));
  const RepositoryAnswer answer = place.search();
  CHECK(answer.bisection.answers.front().suspects == Ids{place.ids[7]});
  CHECK(place.processes.builds_finished == 2);
  CHECK(answer.numbers.at(place.ids.back()).front() == 120);
}

TEST_CASE("Any repository: cut off anywhere, it goes on without repeating what was finished", "[anyrepo]") {
  Place place(step(5, 2, 100, 112));
  const RepositoryAnswer expected = place.search();
  CHECK(expected.bisection.answers.front().suspects == Ids{place.ids[2]});
  const int commands = place.processes.started;
  CHECK(commands > 10);

  for (int cut = 0; cut < commands; cut += 3) {  // every third: each one clones and builds anew
    INFO("cut off before command " << cut << " of " << commands);
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

TEST_CASE("Any repository: trees that were removed for space are built again, and the answer is the same",
          "[anyrepo]") {
  Place place(step(9, 4, 100, 112));
  place.job.kept_trees_bytes = 1;
  const RepositoryAnswer answer = place.search();
  CHECK(answer.bisection.answers.front().suspects == Ids{place.ids[4]});
  const auto marks = std::count_if(fs::directory_iterator(place.state() / "trees"), fs::directory_iterator(),
                                   [](const auto& entry) { return entry.path().extension() == ".built"; });
  CHECK(marks <= 2);  // a pair
  CHECK(answer.bisection.builds + answer.rebuilds == place.processes.builds_finished);
}

TEST_CASE("Any repository: what a killed process left in a tree is repaired", "[anyrepo]") {
  Place place(step(6, 3, 100, 112));
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

TEST_CASE("Any repository: what a killed run left at work in a tree is waited for", "[anyrepo]") {
  Place place(step(4, 2, 100, 112));
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
  while (!runner::has_inhabitants(tree)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(place.suspects() == Ids{place.ids[2]});
}

TEST_CASE("Any repository: the user's checkout is not touched", "[anyrepo]") {
  Place place(step(6, 3, 100, 112));
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

TEST_CASE("Any repository: commits that no branch names any more are found as well", "[anyrepo]") {
  Place place(step(6, 3, 100, 112));
  place.git.git({"reset", "--quiet", "--hard", place.ids[0]});
  CHECK(place.suspects() == Ids{place.ids[3]});
}

TEST_CASE("Any repository: used up runs leave the commits in doubt", "[anyrepo]") {
  Place place(step(40, 17, 100, 112));
  const int needed = place.search().bisection.measurements;
  for (const int most : {1, 12, needed - 1}) {
    INFO("at most " << most << " of " << needed);
    Place limited(step(40, 17, 100, 112));
    limited.job.runs_at_most = most;
    const RepositoryAnswer answer = limited.search();
    const Ids& suspects = answer.bisection.answers.front().suspects;
    CHECK(limited.processes.runs_finished <= most);
    CHECK(answer.used_up);
    CHECK(answer.bisection.answers.front().reason.find("--runs-at-most") != std::string::npos);
    if (most == 1) CHECK(suspects.empty());
    if (most == needed - 1) CHECK_FALSE(suspects.empty());
    if (!suspects.empty()) CHECK(std::count(suspects.begin(), suspects.end(), limited.ids[17]) == 1);
    limited.job.runs_at_most = 0;
    CHECK(limited.suspects() == Ids{limited.ids[17]});
    CHECK(limited.processes.runs_finished == needed);
  }
}

TEST_CASE("Any repository: a failed run is tried once more, a slow build or run is not", "[anyrepo]") {
  Place flaky(step(4, 2, 100, 112));
  const std::string mark = (flaky.folder / "mark").string();
  flaky.job.measure = {"sh", "-c", "cat built; test -e " + mark + " || { : > " + mark + "; exit 1; }"};
  CHECK(flaky.suspects() == Ids{flaky.ids[2]});

  Place slow(step(3, 1, 100, 112));
  slow.job.measure = {"sleep", "20"};
  slow.job.measure_limit = std::chrono::milliseconds(200);
  CHECK(slow.failure().find("--measure-timeout") != std::string::npos);
  CHECK(slow.processes.runs_finished == 1);
}

TEST_CASE("Any repository: an end that fails is an error that says where, and is tried again", "[anyrepo]") {
  Place place(step(4, 2, 100, 112));
  place.job.measure = {"sh", "-c", "test -e ../../../mended && cat built || echo what"};
  const std::string unmeasured = place.failure();
  CHECK(unmeasured.find("the good end " + place.ids[0].substr(0, 12) + " can't be measured") == 0);
  CHECK(unmeasured.find("'what'") != std::string::npos);
  CHECK(unmeasured.find((place.state() / "trees" / place.ids[0]).string()) != std::string::npos);
  const int builds = place.processes.builds_finished;
  REQUIRE(write_file_atomically(place.folder / "mended", ""));
  CHECK(place.suspects() == Ids{place.ids[2]});
  CHECK(place.processes.builds_finished == builds + 2);

  Place broken(step(4, 2, 100, 112));
  const fs::path mended = broken.folder / "mended";
  broken.job.build = {
      "sh", "-c", "cp number built; grep 112 built || exit 0; echo 'x.c:1: error: no' >&2; test -e " + mended.string()};
  const std::string unbuilt = broken.failure();
  CHECK(unbuilt.find("the bad end " + broken.ids[3].substr(0, 12) + " does not build: x.c:1: error: no") == 0);
  CHECK(unbuilt.find((broken.state() / "logs" / (broken.ids[3] + ".log")).string()) != std::string::npos);
  REQUIRE(write_file_atomically(mended, ""));
  CHECK(broken.suspects() == Ids{broken.ids[2]});
}

TEST_CASE("Any repository: what was ended by a limit is tried again with a longer one only", "[anyrepo]") {
  Place place(step(3, 3, 100, 100));
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

TEST_CASE("Any repository: a program that is not there ends the search with its name", "[anyrepo]") {
  Place place(step(3, 1, 100, 112));
  place.job.measure = {"no-such-program-anywhere"};
  const auto answer = place.try_search();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::environment);
  CHECK(answer.error().message.find("no-such-program-anywhere") != std::string::npos);
  Place other(step(3, 1, 100, 112));
  other.job.build = {"./configure-that-is-not-there"};
  CHECK(other.failure().find("good end") != std::string::npos);
}

TEST_CASE("Any repository: two searches do not share a folder at a time", "[anyrepo]") {
  Place place(step(3, 1, 100, 112));
  const auto lock = FileLock::acquire(place.state() / "lock");
  REQUIRE(lock);
  const auto answer = place.try_search();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::transient);
}

TEST_CASE("Any repository: git replays the log of a search and names the same commit", "[anyrepo]") {
  Place place(step(9, 4, 100, 112));
  const auto commits = place.commits();
  const RepositoryAnswer answer = place.search();
  const std::string log =
      git_bisect_log(commits, answer.probes, answer.bisection.answers.front(), bisect::Lineage::first_parent);
  INFO(log);
  CHECK(log.find("# first bad commit: [" + place.ids[4] + "] commit 4\n") != std::string::npos);
  const std::string file = (place.folder / "log").string();
  REQUIRE(write_file_atomically(file, log));
  const std::string said = place.git.git({"bisect", "replay", file});
  INFO(said);
  CHECK(said.find(place.ids[4] + " is the first bad commit") != std::string::npos);
}

TEST_CASE("Any repository: what is left in doubt lies after the last good commit, up to the first bad one",
          "[anyrepo]") {
  const Place place(step(6, 3, 100, 112));
  std::vector<model::Commit> commits;
  for (const std::string& id : place.ids) commits.push_back({id, "", "", {}, "", ""});
  const auto probe = [&](std::size_t i, model::Side side) {
    return model::Probe{place.ids[i], series_of_job(), side, 0, 0, 0, 0, ""};
  };
  CHECK(commits_in_doubt(commits, {}).empty());
  CHECK(commits_in_doubt(commits, {probe(5, model::Side::bad)}).size() == 5);
  CHECK(commits_in_doubt(commits, {probe(5, model::Side::bad), probe(1, model::Side::good), probe(3, model::Side::bad),
                                   probe(2, model::Side::unbuildable)}) == Ids{place.ids[2], place.ids[3]});
}

TEST_CASE("Any repository: its state is named by what results depend on", "[anyrepo]") {
  RepositoryJob job;
  job.build = {"make", "x"};
  RepositoryJob other = job;
  other.threshold = 0.01;
  other.runs_at_most = 3;
  other.unit = "ms";
  CHECK(name_of(job) == name_of(other));
  other.build = {"make x"};
  CHECK(name_of(job) != name_of(other));
  other = job;
  other.build = {"make"};
  other.measure = {"x"};
  CHECK(name_of(job) != name_of(other));
  other = job;
  other.to = "a";
  CHECK(name_of(job) != name_of(other));
}

TEST_CASE("Any repository: numbers as a person reads them", "[anyrepo]") {
  CHECK(readable_number("ms", 12.3) == "12.3 ms");
  CHECK(readable_number("s", 0.0123) == "12.3 ms");
  CHECK(readable_number("bytes", 65536) == "64 KiB");
  CHECK(readable_number("images/s", 17.25) == "17.25 images/s");
  CHECK(readable_number("", 0.5) == "0.5");
  CHECK(readable_number("s", 1e300) == "1e+300 s");
}
