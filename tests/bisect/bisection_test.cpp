#include "bisect/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::bisection_test {

using test::bert;
using test::bisect_with;
using test::dlrm;
using test::dlrm_leak;
using test::dlrm_memory;
using test::FakeDay;
using test::FakeProber;
using test::ids;
using test::RecordingObserver;

TEST_CASE("Bisection: every culprit of 70 commits is found in at most 7 builds", "[bisect][long]") {
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    FakeDay day;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(answers->at(0).reason == "");
    CHECK(answers->at(0).change == test::Approx(0.2));
    CHECK(prober.search_builds() <= 7);
  }
}

TEST_CASE("Bisection: the suspects are the culprit and the commits around it that do not build", "[bisect][long]") {
  for (std::size_t culprit : {1U, 20U, 35U, 36U, 69U, 70U}) {
    for (std::size_t length : {1U, 2U, 5U}) {
      for (std::size_t before = 0; before <= length; ++before) {  // commits of the stretch that precede the culprit
        FakeDay day;
        day.faults = {{culprit, dlrm, 1.2}};
        std::set<std::size_t> broken;
        for (std::size_t i = 0; i < length; ++i) {
          if (culprit + i < 1 + before || culprit + i - before >= 70) continue;
          broken.insert(culprit + i - before);
        }
        day.broken = broken;
        FakeProber prober(day);
        const auto answers = bisect_with(prober, day, {dlrm});
        REQUIRE(answers);
        std::size_t first = culprit, last = culprit;
        while (broken.count(first - 1) != 0) --first;
        while (broken.count(last) != 0) ++last;
        CHECK(answers->at(0).suspects == ids(first, last));
        CHECK((answers->at(0).reason == "") == (first == last));
      }
    }
  }
}

TEST_CASE("Bisection: commits that touch only documents are neither built nor suspected", "[bisect]") {
  FakeDay day;
  for (std::size_t i = 2; i <= 70; ++i) {
    if (i % 4 != 0) day.documents.insert(i);
  }
  day.faults = {{40, dlrm, 1.2}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(40, 40));
  for (std::size_t built : prober.builds()) CHECK(day.documents.count(built) == 0);
  CHECK(prober.search_builds() <= 5);  // 18 classes after the first
}

TEST_CASE("Bisection: commits that touch only documents have no culprit, without a build", "[bisect]") {
  FakeDay day;
  for (std::size_t i = 1; i <= 70; ++i) day.documents.insert(i);
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason == fmt::format("no file that is compiled differs between {} and {}: the cause is in none "
                                             "of these commits, but in the packaging or the environment",
                                             test::id_of(0).substr(0, 12), test::id_of(70).substr(0, 12)));
  CHECK(prober.fresh_calls() == 0);
}

TEST_CASE("Bisection: a revert to the files of the good end is not built", "[bisect]") {
  FakeDay day;
  day.reverts = {{35, 0}};  // the first probe would have the files of the good end
  day.faults = {{50, dlrm, 1.2}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(50, 50));
  CHECK(prober.builds().count(35) == 0);
}

TEST_CASE("Bisection: a bad end with the files of an earlier commit builds like that commit", "[bisect]") {
  FakeDay day;
  day.broken = {66, 67, 68, 69};
  day.reverts = {{70, 65}};
  day.faults = {{50, dlrm, 1.2}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).reason == "");
  CHECK(answers->at(0).suspects == ids(50, 50));
}

TEST_CASE("Bisection: a second step that looks like an outlier of the bad end is found if the nights saw the whole",
          "[bisect]") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    FakeDay day;
    day.faults = {{40, dlrm, 1.25}, {70, dlrm, 1.32}};
    day.noise = 0.01;
    day.odd_pairs = {{{70, 1}, 1 / 1.32}};  // as after an interruption of the good end's process
    day.seed = seed;
    FakeProber prober(day);
    bisect::SearchSettings settings;
    settings.expected = {{dlrm, std::log(1.25 * 1.32)}};
    const auto answers = bisect_with(prober, day, {dlrm}, settings);
    REQUIRE(answers);
    INFO(seed);
    std::set<std::string> suspects;
    for (const model::FoundStep& step : answers->at(0).steps)
      suspects.insert(step.suspects.begin(), step.suspects.end());
    CHECK(suspects == std::set{test::id_of(40), test::id_of(70)});
  }
}

TEST_CASE("Bisection: a case whose pairs hardly feel the noise is measured in pairs alone", "[bisect]") {
  FakeDay day;
  day.commits = 40;
  day.faults = {{17, dlrm, 1.2}, {17, bert, 1.2}};
  day.noise = 0.02;
  FakeProber prober(day);
  bisect::SearchSettings settings;
  settings.paired_cases = {dlrm.measured_case()};
  const auto answers = bisect_with(prober, day, {dlrm, bert}, settings);
  REQUIRE(answers);
  for (const model::Answer& answer : *answers) CHECK(answer.suspects == ids(17, 17));
  CHECK(prober.processes_alone(dlrm.measured_case()) == 0);
  CHECK(prober.processes_alone(bert.measured_case()) > 0);
}

TEST_CASE("Bisection: culprits of several metrics share their builds", "[bisect]") {
  FakeDay day;
  day.faults = {{12, dlrm, 1.3}, {33, bert, 1.1}, {55, dlrm_memory, 1.4}, {56, dlrm_leak, 1 << 20}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm, bert, dlrm_memory, dlrm_leak});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(12, 12));
  CHECK(answers->at(1).suspects == ids(33, 33));
  CHECK(answers->at(2).suspects == ids(55, 55));
  CHECK(answers->at(3).suspects == ids(56, 56));
  CHECK(prober.search_builds() <= 18);  // alone: 7 each
}

TEST_CASE("Bisection: a leak of thousands of times the floor is not an outlier, and takes few processes", "[bisect]") {
  for (const double bytes : {600.0, 65536.0, 6291552.0}) {
    FakeDay day;
    day.faults = {{56, dlrm_leak, bytes}};
    FakeProber prober(day);
    test::RecordingObserver observer;
    const auto answers = bisect::bisect(test::commits_of(day), {dlrm_leak}, {}, prober, observer, {});
    REQUIRE(answers);
    INFO(bytes << " bytes an iteration: " << observer.last.processes << " processes");
    CHECK(answers->at(0).suspects == ids(56, 56));
    CHECK(observer.last.processes <= 40);
    for (const model::Probe& probe : observer.probes) {
      if (probe.side == model::Side::good) CHECK(probe.change == 0);
    }
  }
}

TEST_CASE("Bisection: it finds improvements if the settings ask for them", "[bisect]") {
  FakeDay day;
  day.faults = {{23, dlrm, 0.8}};
  bisect::SearchSettings settings;
  FakeProber prober(day);
  auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  settings.either_direction = true;
  answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(23, 23));
  CHECK(answers->at(0).change == test::Approx(-0.2));
  CHECK(answers->at(0).low < answers->at(0).high);
}

TEST_CASE("Bisection: it is exact on 200 days with 2% noise and slow processes", "[bisect][long]") {
  int processes = 0, builds = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    FakeDay day;
    day.noise = 0.02;
    day.slow_share = 0.02;
    day.seed = seed;
    const std::size_t culprit = 1 + (seed * 37) % 70;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(answers->at(0).posterior >= 0.999);
    builds += prober.search_builds();
    processes += prober.processes();
  }
  CHECK(builds <= 200 * 6.3);
  CHECK(processes / 200 <= 35);  // including the parent checks
}

TEST_CASE("Bisection: no culprit is named on days without one", "[bisect][long]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    FakeDay day;
    day.noise = 0.03;
    day.slow_share = 0.02;
    day.seed = seed;
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects.empty());
    CHECK(answers->at(0).steps.empty());
    CHECK_FALSE(answers->at(0).reason.empty());
  }
}

TEST_CASE("Bisection: it names both steps of one series, with their sizes", "[bisect]") {
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{12, 50}, {30, 31}, {1, 70}}) {
    FakeDay day;
    day.noise = 0.005;
    day.faults = {{first, dlrm, 1.1}, {second, dlrm, 1.15}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    REQUIRE(answers->at(0).steps.size() == 2);
    CHECK(answers->at(0).steps[0].suspects == ids(first, first));
    CHECK(answers->at(0).steps[1].suspects == ids(second, second));
    CHECK(answers->at(0).steps[0].change == test::Approx(0.1).margin(0.02));
    CHECK(answers->at(0).steps[1].change == test::Approx(0.15).margin(0.02));
    CHECK(answers->at(0).suspects == ids(second, second));  // the larger one
    CHECK(answers->at(0).change == answers->at(0).steps[1].change);
  }
}

TEST_CASE("Bisection: a commit that repairs part of a regression is named as a repair", "[bisect]") {
  FakeDay day;
  day.noise = 0.005;
  day.faults = {{20, dlrm, 1.25}, {40, dlrm, 0.88}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  REQUIRE(answers->at(0).steps.size() == 2);
  CHECK(answers->at(0).steps[0].suspects == ids(20, 20));
  CHECK_FALSE(answers->at(0).steps[0].repair);
  CHECK(answers->at(0).steps[1].suspects == ids(40, 40));
  CHECK(answers->at(0).steps[1].repair);
  CHECK(answers->at(0).steps[1].change == test::Approx(-0.12).margin(0.02));
  CHECK(answers->at(0).suspects == ids(20, 20));
}

TEST_CASE("Bisection: a step that is repaired before the bad end is not a step between the ends", "[bisect]") {
  FakeDay day;
  day.faults = {{20, dlrm, 1.25}, {40, dlrm, 0.8}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("do not differ") != std::string::npos);
  CHECK(answers->at(0).reason.find("repaired") != std::string::npos);
  CHECK(prober.search_builds() == 0);
}

TEST_CASE("Bisection: a prior saves builds for its commit, and never hides another culprit", "[bisect][long]") {
  std::vector<double> weights(71, 1.0);
  weights[33] = 50;
  bisect::SearchSettings settings;
  settings.priors[dlrm] = weights;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    FakeDay day;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm}, settings);
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(prober.search_builds() <= (culprit == 33 ? 3 : 9));
  }
}

TEST_CASE("Bisection: a prior of another length is refused", "[bisect]") {
  FakeDay day;
  bisect::SearchSettings settings;
  settings.priors[dlrm] = {1, 2, 3};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::usage);
  CHECK(answers.error().message.find("3 weights for 71 commits") != std::string::npos);
}

TEST_CASE("Bisection: several builders save rounds", "[bisect]") {
  FakeDay day;
  day.faults = {{23, dlrm, 1.2}};
  bisect::SearchSettings settings;
  settings.builders = 4;
  FakeProber prober(day);
  RecordingObserver observer;
  const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, settings, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(23, 23));
  CHECK(observer.last.rounds <= 3);  // each round leaves a fifth: 70, 14, 3
}

}  // namespace tbci::bisection_test
