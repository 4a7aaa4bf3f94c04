// An old build against which the worker does not compile any more costs what waits for it, and never the night.
#include "pipeline/night/regression_decisions.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::unusable_builds_test {

using namespace tbci::test;
using model::Standing;
using model::Verdict;

namespace {

constexpr std::size_t culprit = 10 * commits_a_day - 1;  // of night 10

struct NightsOfOldBuilds : Nights {
  NightsOfOldBuilds() : Nights(16) {}

  /// A measurement on the nightly of this day fails as a worker does that does not compile. `usage`: as one whose suite
  /// the configuration does not have any more.
  void spoil(std::size_t day, ErrorKind kind = ErrorKind::failed) {
    machine.before_effect = [this, day, kind](const std::string& effect) -> Status {
      if (!effect.starts_with("measure " + commit(day * commits_a_day))) return {};
      ++refused;
      return fail(kind, "the worker does not build: registry.cpp:3:1: error");
    };
  }
  void repair() { machine.before_effect = {}; }

  int refused = 0;
};

}  // namespace

TEST_CASE("Unusable builds: a retest beside one waits, and what else is suspected is confirmed", "[nights]") {
  for (const ErrorKind kind : {ErrorKind::failed, ErrorKind::usage}) {
    NightsOfOldBuilds nights;
    nights.check_all(1, 9);
    nights.queue_on_day_9(nights.machine.name_of(0));
    nights.machine.slower["alpha"] = {{culprit, 1.25}};
    nights.spoil(0, kind);
    const auto result = nights.check(10);
    CHECK(nights.refused == 1);
    CHECK(result.night.stage == model::Stage::done);
    REQUIRE(result.regressions.size() == 1);
    CHECK(result.regressions[0].suspects == std::vector{nights.commit(culprit)});
    const auto waiting = nights.waiting_after(result);
    REQUIRE(waiting.size() == 1);
    CHECK(waiting.front().nights_waited == 1);
    CHECK(waiting.front().nights_looked == 0);
    nights.repair();
    CHECK(verdict_of(nights.check(11), "beta/cpu-infer/time") == Verdict::clear);
  }
}

TEST_CASE("Unusable builds: a retest beside one does not hide the step of tonight", "[nights]") {
  NightsOfOldBuilds nights;
  nights.check_all(1, 9);
  nights.queue_on_day_9(nights.machine.name_of(0));
  nights.machine.slower["beta"] = {{culprit, 1.25}};
  nights.spoil(0);
  const auto result = nights.check(10);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(culprit)});
}

TEST_CASE("Unusable builds: with an anchor that cannot be measured the nights go on", "[nights]") {
  NightsOfOldBuilds nights;
  nights.machine.slower["beta"] = {{culprit, 1.25}};
  nights.check(1);
  storage::Stores& stores = nights.bench->stores();
  const auto build = stores.builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(1)).value();
  REQUIRE(stores.anchors.set({0, "fake", build->id, "ada", "the release", {}}));
  nights.check_all(2, 5);
  nights.spoil(1);
  nights.check_all(6, 9);
  CHECK(nights.refused > 0);
  CHECK(nights.check(10).regressions.size() == 1);
}

TEST_CASE("Unusable builds: a regression beside one stays open, and ends once the build can be measured", "[nights]") {
  NightsOfOldBuilds nights;
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 8);
  REQUIRE(nights.regressions().size() == 1);
  const std::string old_build = nights.regressions().front().old_build;
  std::size_t day = 0;
  while (nights.machine.name_of(day) != old_build) ++day;
  nights.spoil(day);
  nights.check_all(9, 12);
  CHECK(nights.refused > 0);
  CHECK(nights.regressions().front().standing == Standing::open);
  nights.repair();
  nights.check_all(13, 15);
  CHECK(nights.regressions().front().standing == Standing::recovered);
}

TEST_CASE("Unusable builds: yesterday's nightly replaces the one that a suspect would be measured beside", "[nights]") {
  NightsOfOldBuilds nights;
  nights.machine.slower["beta"] = {{culprit, 1.25}};
  nights.check_all(1, 9);
  const std::string tonight = nights.commit(10 * commits_a_day), yesterday = nights.commit(9 * commits_a_day);
  nights.machine.before_effect = [&](const std::string& effect) -> Status {
    const bool measures = effect.starts_with("measure ");
    if (!measures || effect.find(tonight) != std::string::npos || effect.find(yesterday) != std::string::npos)
      return {};
    if (nights.machine.effects.empty() || nights.refused > 0) return {};  // the search measures others afterwards
    ++nights.refused;
    return fail(ErrorKind::failed, "the worker does not build: registry.cpp:3:1: error");
  };
  const auto result = nights.check(10);
  CHECK(nights.refused == 1);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(culprit)});
}

}  // namespace tbci::unusable_builds_test
