#include "pipeline/night/narrowing.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::narrowing_test {

using namespace tbci::test;

namespace {

int count(const FakeMachine& machine, const std::string& beginning) {
  return static_cast<int>(
      std::ranges::count_if(machine.effects, [&](const std::string& effect) { return effect.starts_with(beginning); }));
}

/// Wheels of eight days after those that were checked, of which nobody checked any.
struct EightDays : Nights {
  EightDays() : Nights(16) {
    bench->config().subjects.front().nightly.kind = runner::NightlyKind::pip;
    check_all(1, 5);
  }
  /// A step of beta in the middle of a day's commits.
  void slow_on(std::size_t day, double factor) { machine.slower["beta"].emplace_back(day * commits_a_day - 2, factor); }
};

}  // namespace

TEST_CASE("Narrowing: wheels between a night and its baseline are compared before any commit is built", "[nights]") {
  EightDays days;
  days.slow_on(8, 1.25);
  const auto result = days.check(13);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{days.commit(8 * commits_a_day - 2)});
  CHECK(count(days.machine, "build ") <= 4);  // of the four commits of that day, and its two ends
  REQUIRE(result.reports.size() == 1);
  const std::string& body = result.reports[0].body;
  CHECK(body.find("compared with `" + days.machine.name_of(7) + "`") != std::string::npos);
  CHECK(body.find("Nightly `" + days.machine.name_of(8) + "` has the change already") != std::string::npos);
}

TEST_CASE("Narrowing: what is built from source is not built for it", "[nights]") {
  EightDays days;
  days.bench->config().subjects.front().nightly.kind = runner::NightlyKind::git_days;
  days.slow_on(8, 1.25);
  const auto result = days.check(13);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{days.commit(8 * commits_a_day - 2)});
  CHECK(count(days.machine, "install ") == 1);
}

TEST_CASE("Narrowing: two steps on two days are both found", "[nights]") {
  EightDays days;
  days.slow_on(7, 1.12);
  days.slow_on(11, 1.12);
  const auto result = days.check(13);
  std::vector<std::string> suspects;
  for (const model::Regression& one : result.regressions) {
    REQUIRE(one.suspects.size() == 1);
    suspects.push_back(one.suspects[0]);
  }
  std::ranges::sort(suspects);
  std::vector wanted{days.commit(7 * commits_a_day - 2), days.commit(11 * commits_a_day - 2)};
  std::ranges::sort(wanted);
  CHECK(suspects == wanted);
}

TEST_CASE("Narrowing: series that changed on different days are searched apart", "[nights]") {
  EightDays days;
  days.slow_on(7, 1.25);
  days.machine.slower["alpha"] = {{11 * commits_a_day - 1, 1.3}};
  const auto result = days.check(13);
  REQUIRE(result.regressions.size() == 2);
  for (const model::Regression& one : result.regressions) {
    const std::size_t at = one.finding.series.benchmark == "beta" ? 7 * commits_a_day - 2 : 11 * commits_a_day - 1;
    CHECK(one.suspects == std::vector{days.commit(at)});
  }
  CHECK(result.reports.size() == 2);
}

TEST_CASE("Narrowing: a wheel that does not install, or crashes, is passed over", "[nights]") {
  EightDays days;
  days.slow_on(8, 1.25);
  days.machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect != "install " + days.machine.name_of(9)) return {};
    return fail(ErrorKind::failed, "bad wheel");
  };
  days.machine.crashing[7 * commits_a_day] = 1000;
  const auto result = days.check(13);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{days.commit(8 * commits_a_day - 2)});
}

TEST_CASE("Narrowing: a nightly whose commit does not build here cannot be an end of the search", "[nights]") {
  EightDays days;
  days.slow_on(9, 1.25);
  for (const std::size_t day : {8U, 9U}) days.machine.without_recipe.insert(day * commits_a_day);
  const auto result = days.check(13);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{days.commit(9 * commits_a_day - 2)});
}

TEST_CASE("Narrowing: the search for a break begins where the case ran on earlier nights", "[nights]") {
  Nights nights(15);
  FakeMachine& machine = nights.machine;
  machine.suite = {"beta"};
  // It crashed for a while, was put right, and crashes again.
  for (std::size_t commit = 5 * commits_a_day - 2; commit < 12 * commits_a_day - 2; ++commit)
    machine.crashing[commit] = 1000;
  nights.check_all(1, 13);
  machine.broken = {{"beta", model::Outcome::crashed}};
  machine.broken_from = 14 * commits_a_day - 3;
  // The nightlies since are not there any more; that they ran is known.
  for (const std::size_t day : {12U, 13U}) nights.lose(day);
  machine.before_effect = [tonight = "install " + machine.name_of(14)](const std::string& effect) -> Status {
    if (!effect.starts_with("install") || effect == tonight) return {};
    return fail(ErrorKind::failed, "the index does not have it");
  };
  const auto result = nights.check(14);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].old_build == machine.name_of(4));
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(14 * commits_a_day - 3)});
}

}  // namespace tbci::narrowing_test
