#include "repo_bisect/repository_search.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "repo_bisect/bisect_log.hpp"
#include "tests/repo_bisect/number_repository.hpp"

namespace tbci::repository_search_test {

using namespace tbci::repo_bisect;
using namespace tbci::repo_bisect::test;
using tbci::test::Approx;

TEST_CASE("Repository bisection: the commit that made the number larger is found", "[repo_bisect]") {
  NumberRepository place(step(12, 7, 100, 110));
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

TEST_CASE("Repository bisection: if higher is better, it searches and reports a fall", "[repo_bisect]") {
  NumberRepository place(step(8, 3, 200, 180));
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

  NumberRepository risen(step(8, 3, 180, 200));
  risen.job.higher_is_better = true;
  CHECK(risen.suspects().empty());
}

TEST_CASE(
    "Repository bisection: two commits that each made the number larger are both named, in the answer and the log",
    "[repo_bisect]") {
  std::vector<double> numbers = step(12, 3, 100, 112);
  for (std::size_t i = 8; i < numbers.size(); ++i) numbers[i] *= 1.15;
  NumberRepository place(numbers);
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

TEST_CASE("Repository bisection: a change far below the threshold has no culprit", "[repo_bisect]") {
  NumberRepository place(step(6, 3, 100, 101.5));
  CHECK(place.suspects().empty());
  place.job.threshold = 0.015;
  CHECK(place.suspects() == Ids{place.ids[3]});
}

TEST_CASE("Repository bisection: commits that do not build, or that a command skips, are passed over",
          "[repo_bisect]") {
  NumberRepository place(step(5, 5, 100, 100));
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

TEST_CASE("Repository bisection: with patterns of compiled files, other commits cost nothing", "[repo_bisect]") {
  NumberRepository place({100});
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

TEST_CASE("Repository bisection: at the limit on measurements, the answer has the commits still in doubt",
          "[repo_bisect][long]") {
  NumberRepository place(step(40, 17, 100, 112));
  const int needed = place.search().bisection.measurements;
  for (const int most : {1, needed / 2, needed - 1}) {
    INFO("at most " << most << " of " << needed);
    NumberRepository limited(step(40, 17, 100, 112));
    limited.job.measurements_at_most = most;
    const RepositoryAnswer answer = limited.search();
    const Ids& suspects = answer.bisection.answers.front().suspects;
    CHECK(limited.processes.runs_finished <= most);
    CHECK(answer.used_up);
    CHECK(answer.bisection.answers.front().reason.find("--measurements-at-most") != std::string::npos);
    if (most == 1) CHECK(suspects.empty());
    if (most == needed - 1) CHECK_FALSE(suspects.empty());
    if (!suspects.empty()) CHECK(std::ranges::count(suspects, limited.ids[17]) == 1);
    limited.job.measurements_at_most = 0;
    CHECK(limited.suspects() == Ids{limited.ids[17]});
    CHECK(limited.processes.runs_finished == needed);
  }
}

TEST_CASE("Repository bisection: git replays the log of a search and names the same commit", "[repo_bisect][long]") {
  NumberRepository place(step(9, 4, 100, 112));
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

TEST_CASE("Repository bisection: the commits in doubt lie after the last good commit, up to the first bad one",
          "[repo_bisect]") {
  const NumberRepository place(step(6, 3, 100, 112));
  std::vector<model::Commit> commits;
  for (const std::string& id : place.ids) commits.emplace_back().id = id;
  const auto probe = [&](std::size_t i, model::Side side) {
    return model::Probe{.commit = place.ids[i], .series = series_of_job(), .side = side, .reason = ""};
  };
  CHECK(commits_in_doubt(commits, {}).empty());
  CHECK(commits_in_doubt(commits, {probe(5, model::Side::bad)}).size() == 5);
  CHECK(commits_in_doubt(commits, {probe(5, model::Side::bad), probe(1, model::Side::good), probe(3, model::Side::bad),
                                   probe(2, model::Side::unbuildable)}) == Ids{place.ids[2], place.ids[3]});
}

TEST_CASE("Repository bisection: the name of the state folder depends on what the results depend on", "[repo_bisect]") {
  RepositoryJob job;
  job.build = {"make", "x"};
  RepositoryJob other = job;
  other.threshold = 0.01;
  other.measurements_at_most = 3;
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

TEST_CASE("Repository bisection: numbers are readable", "[repo_bisect]") {
  CHECK(readable_number("ms", 12.3) == "12.3 ms");
  CHECK(readable_number("s", 0.0123) == "12.3 ms");
  CHECK(readable_number("bytes", 65536) == "64 KiB");
  CHECK(readable_number("images/s", 17.25) == "17.25 images/s");
  CHECK(readable_number("", 0.5) == "0.5");
  CHECK(readable_number("s", 1e300) == "1e+300 s");
}

}  // namespace tbci::repository_search_test
