#include <cmath>
#include <set>

#include "bisect/selftest/score.hpp"
#include "tests/catch.hpp"

namespace tbci::selftest_test {

using namespace tbci::bisect::selftest;

namespace {

SimulatedDay quiet_day(std::vector<Slowdown> slowdowns) {
  SimulatedDay day;
  day.slowdowns = std::move(slowdowns);
  day.machine = {.noise = 0};
  day.seed = 1;
  return day;
}

Scenario one_culprit(double noise, double slow_share = 0) {
  return {.name = "one", .machine = {noise, slow_share, 1.5, 0}};
}

}  // namespace

TEST_CASE("Selftest: the simulated machine has the requested slowdowns and noise", "[bisect]") {
  SimulatedDay day = quiet_day({{30, 0, 0.08}, {50, 0, -0.5}});
  SimulatedProcesses quiet(day);
  CHECK(quiet.measure(29, 0) == test::Approx(1));
  CHECK(quiet.measure(30, 0) == test::Approx(1.08));
  CHECK(quiet.measure(50, 0) == test::Approx(0.54));
  CHECK(quiet.measure(70, 1) == test::Approx(1));
  CHECK(quiet.processes() == 4);

  day.machine = {0.05, 0.02, 1.5, 0};
  SimulatedProcesses noisy(day);
  double sum = 0, squares = 0;
  int slow = 0, counted = 0;
  constexpr int processes = 20000;
  for (int i = 0; i < processes; ++i) {
    const double x = std::log(noisy.measure(0, 0));
    if (x > 0.25) {
      ++slow;
      continue;
    }
    ++counted;
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / counted) < 0.002);
  CHECK(std::sqrt(squares / counted) == test::Approx(0.05).epsilon(0.03));
  CHECK(slow / double{processes} == test::Approx(0.02).margin(0.004));
}

TEST_CASE("Selftest: the same seed gives the same days, as the scenario describes", "[bisect]") {
  for (const Scenario& scenario : scenarios()) {
    const TrueDay day = make_day(scenario, 11), again = make_day(scenario, 11);
    CHECK(day.truth == again.truth);
    CHECK(day.day.broken == again.day.broken);
    const std::size_t own = scenario.regressions * scenario.steps.size();
    CHECK(day.day.slowdowns.size() == own + scenario.shared.size());
    std::set<std::size_t> culprits;
    for (const Slowdown& slowdown : day.day.slowdowns) culprits.insert(slowdown.at);
    CHECK(culprits.size() == own + (scenario.shared.empty() ? 0 : 1));
    CHECK(day.day.broken.count(0) == 0);
    CHECK(day.day.broken.count(70) == 0);
    CHECK(day.day.priors.empty() == (scenario.prior == PriorKind::none));
  }
}

TEST_CASE("Selftest: without noise, git bisect and Pinpoint are exact in at most log2(n) builds", "[bisect]") {
  for (std::size_t culprit : {1U, 2U, 35U, 70U}) {
    const SimulatedDay day = quiet_day({{culprit, 0, 0.08}});
    const NamedCulprits truth = {{culprit}};
    for (int processes : {1, 5}) {
      SimulatedProcesses machine(day);
      CHECK(git_bisect(machine, day, 0, processes) == truth);
      CHECK(machine.builds() <= 7);
      CHECK(machine.processes() == processes * (machine.builds() + 2));
    }
    SimulatedProcesses machine(day);
    CHECK(pinpoint(machine, day, 0) == truth);
    CHECK(machine.builds() <= 7);
    CHECK(machine.processes() == 10 * (machine.builds() + 2));
  }
}

TEST_CASE("Selftest: git bisect skips commits that do not build, and names all that remain", "[bisect]") {
  SimulatedDay day = quiet_day({{36, 0, 0.08}});
  day.broken = {34, 35};
  SimulatedProcesses machine(day);
  CHECK(git_bisect(machine, day, 0, 1) == NamedCulprits{{34, 35, 36}});
}

TEST_CASE("Selftest: TorchBench's recursion names a clear culprit, and misses two steps below its threshold",
          "[bisect]") {
  const SimulatedDay clear = quiet_day({{36, 0, 0.2}});
  SimulatedProcesses machine(clear);
  CHECK(torchbench(machine, clear, 0) == NamedCulprits{{36}});
  const SimulatedDay creeping = quiet_day({{20, 0, 0.05}, {50, 0, 0.05}});
  SimulatedProcesses other(creeping);
  CHECK(torchbench(other, creeping, 0).empty());
}

// Calculated by hand: W = 3 of 36, (|3 - 18| - 0.5) / sqrt(6 * 6 * 13 / 12) = 2.3219, twice the upper tail of that:
// 0.02024. SciPy's mannwhitneyu(a, b, method="asymptotic") gives the same.
TEST_CASE("Selftest: p values of Mann-Whitney and Kolmogorov-Smirnov", "[bisect]") {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {4.5, 5.5, 6.5, 7.5, 8.5, 9.5};
  CHECK(mann_whitney(a, b) == test::Approx(0.02024).epsilon(0.01));
  CHECK(mann_whitney(a, a) == 1);
  CHECK(mann_whitney(b, a) == mann_whitney(a, b));
  CHECK(kolmogorov_smirnov(a, a) == 1);
  CHECK(kolmogorov_smirnov(a, {11, 12, 13, 14, 15, 16}) < 0.01);
  CHECK(kolmogorov_smirnov(a, b) > 0.05);
}

TEST_CASE("Selftest: the score of a search counts exact and wrong days", "[bisect]") {
  const Scenario scenario = one_culprit(0.01);
  const auto scores = score(scenario, {20, 3, 1}, {});
  REQUIRE(scores);
  REQUIRE(scores->size() == 1);
  CHECK(scores->front().exact == 20);
  CHECK(scores->front().wrong == 0);
  CHECK(scores->front().builds.worst <= 7);
  CHECK(scores->front().builds.mean > 5);
  CHECK(scores->front().processes.mean >= scores->front().builds.mean + 4);
}

TEST_CASE("Selftest: processes crash as often as the day says, and the others stay as they are", "[bisect]") {
  SimulatedDay day = quiet_day({});
  day.machine.noise = 0.02;
  SimulatedProber steady(day);
  SimulatedDay other_day = day;
  other_day.machine.crash_share = 0.1;
  SimulatedProber crashing(other_day);
  int crashes = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto value = steady.measure_process(commits_of(day)[0], series_of(0).measured_case(), i, {});
    const auto other = crashing.measure_process(commits_of(day)[0], series_of(0).measured_case(), i, {});
    REQUIRE(value);
    if (other) CHECK(*other == *value);
    if (!other) CHECK(other.error().kind == ErrorKind::failed);
    crashes += other ? 0 : 1;
  }
  CHECK(crashes > 70);
  CHECK(crashes < 130);
}

TEST_CASE("Selftest: the interval of a culprit holds the truth about as often as it says", "[bisect][long]") {
  for (const std::vector<double>& steps : {std::vector<double>{0.08}, {0.1, 0.03}, {0.05, 0.05, 0.05}}) {
    Scenario scenario = one_culprit(0.02);
    scenario.steps = steps;
    const auto scores = score(scenario, {30, 4, 1}, {});
    REQUIRE(scores);
    const Score& one = scores->front();
    INFO(one.holding << " of " << one.intervals);
    CHECK(one.intervals >= 25);
    CHECK(one.holding >= 0.85 * one.intervals);
  }
}

TEST_CASE("Selftest: neighbours that are busy for twenty processes in a row mislead no search", "[bisect][long]") {
  Scenario scenario = one_culprit(0.02);
  scenario.machine.burst_begins = 0.05;
  scenario.machine.burst_processes = 20;
  const auto scores = score(scenario, {40, 1, 2}, {});
  REQUIRE(scores);
  CHECK(scores->front().exact == 40);
  CHECK(scores->front().processes.mean <= 75);  // 98 where all readings alone are trusted
}

TEST_CASE("Selftest: the other searches see the same days, and noise defeats a single process", "[bisect][long]") {
  Scenario scenario = one_culprit(0.05, 0.02);
  scenario.with_other_searches = true;
  const auto scores = score(scenario, {30, 3, 1}, {});
  REQUIRE(scores);
  REQUIRE(scores->size() == 5);
  CHECK((*scores)[0].exact > (*scores)[1].exact + 10);
  CHECK((*scores)[1].method == Method::git_bisect_once);
  CHECK((*scores)[1].exact < 15);
  CHECK((*scores)[1].wrong == 30 - (*scores)[1].exact);  // it always names someone
}

TEST_CASE("Selftest: the score depends on the seed and not on the number of jobs", "[bisect]") {
  const Scenario scenario = one_culprit(0.03, 0.02);
  const auto one = score(scenario, {8, 5, 1}, {}), three = score(scenario, {8, 5, 3}, {}),
             other = score(scenario, {8, 6, 1}, {});
  REQUIRE(one);
  REQUIRE(three);
  REQUIRE(other);
  CHECK(one->front().processes.mean == three->front().processes.mean);
  CHECK(one->front().builds.mean == three->front().builds.mean);
  CHECK(one->front().processes.mean != other->front().processes.mean);
}

TEST_CASE("Selftest: a requested stop ends it", "[bisect]") {
  std::stop_source stop;
  stop.request_stop();
  const auto scores = score(one_culprit(0.02), {5, 1, 2}, stop.get_token());
  REQUIRE_FALSE(scores);
  CHECK(scores.error().kind == ErrorKind::interrupted);
}

}  // namespace tbci::selftest_test
