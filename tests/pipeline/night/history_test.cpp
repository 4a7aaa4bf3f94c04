// What the history of a series says, and what it must not say.
#include "pipeline/night/level_history.hpp"
#include "storage/model/run_keys.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::history_test {

using namespace tbci::test;

using model::Verdict;

namespace {

constexpr double mib = 1024.0 * 1024.0;

std::vector<model::Event> events_of(Nights& nights, const pipeline::NightResult& result) {
  const auto events = nights.bench->stores().events.of_night(result.night.id);
  REQUIRE(events);
  return *events;
}

/// A night whose search is cut off after its verdicts stand.
void cut_off_in_the_search(Nights& nights, std::size_t day) {
  nights.machine.before_effect = [](const std::string& effect) -> Status {
    if (effect.starts_with("build ")) return fail(ErrorKind::interrupted, "cut off");
    return {};
  };
  CHECK_FALSE(pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(day), .baseline = {}}));
  nights.machine.before_effect = {};
}

}  // namespace

TEST_CASE("History: a leak is found with a history as without one, and once", "[nights]") {
  for (const double bytes : {1040.0, 8000.0}) {
    Nights nights(18);
    const std::size_t culprit = 12 * commits_a_day - 2;
    nights.machine.leaking["beta"] = {{culprit, bytes}};
    nights.check_all(1, 11);
    const auto result = nights.check(12);
    CHECK(verdict_of(result, "beta/cpu-infer/cpu_leak") == Verdict::regression);
    REQUIRE(result.regressions.size() == 1);
    CHECK(result.regressions[0].suspects == std::vector{nights.commit(culprit)});
    CHECK(result.reports.size() == 1);
    for (std::size_t day = 13; day < 18; ++day) {
      const auto later = nights.check(day);
      CHECK(later.regressions.empty());
      CHECK(verdict_of(later, "beta/cpu-infer/cpu_leak") == Verdict::clear);
    }
  }
}

TEST_CASE("History: a regression of the memory is found once", "[nights]") {
  Nights nights(18);
  nights.machine.larger["beta"] = {{11 * commits_a_day - 2, 64 * mib}};
  nights.check_all(1, 10);
  const auto found = nights.check(11);
  REQUIRE(found.regressions.size() == 1);
  CHECK(to_string(found.regressions[0].finding.series) == "beta/cpu-infer/cpu_memory");
  CHECK(found.regressions[0].old_build == nights.machine.name_of(8));
  CHECK(found.reports.size() == 1);
  for (std::size_t day = 12; day < 18; ++day) {
    const auto later = nights.check(day);
    CHECK(later.regressions.empty());
    CHECK(later.reports.empty());
    CHECK(verdict_of(later, "beta/cpu-infer/cpu_memory") == Verdict::clear);
  }
}

TEST_CASE("History: after a regression of the memory, one of the time is still found three nights back", "[nights]") {
  Nights nights(18);
  nights.machine.larger["beta"] = {{11 * commits_a_day - 2, 64 * mib}};
  nights.machine.slower["beta"] = {{15 * commits_a_day - 2, 1.2}};
  nights.check_all(1, 14);
  const auto result = nights.check(15);
  REQUIRE(result.regressions.size() == 1);
  CHECK(to_string(result.regressions[0].finding.series) == "beta/cpu-infer/time");
  CHECK(result.regressions[0].old_build == nights.machine.name_of(12));
}

TEST_CASE("History: a regression whose search was cut off is not found again by the next night", "[nights]") {
  Nights nights(14);
  nights.machine.slower["beta"] = {{11 * commits_a_day - 2, 1.2}};
  nights.check_all(1, 10);
  cut_off_in_the_search(nights, 11);
  const auto next = nights.check(12);
  CHECK(next.regressions.empty());
  CHECK(verdict_of(next, "beta/cpu-infer/time") == Verdict::clear);
  CHECK(nights.check(11).reports.size() == 1);
}

TEST_CASE("History: a leak is seen also where the first process crashes by chance", "[nights]") {
  Nights nights(14);
  nights.machine.leaking["beta"] = {{11 * commits_a_day - 1, 4096}};
  nights.check_all(1, 10);
  nights.machine.crashing[11 * commits_a_day] = 1 + 1;  // the first process of either case
  const auto result = nights.check(11);
  REQUIRE(result.regressions.size() == 1);
  CHECK(to_string(result.regressions[0].finding.series) == "beta/cpu-infer/cpu_leak");
}

TEST_CASE("History: what a failed night found and did not report is found again", "[nights]") {
  for (const bool memory : {false, true}) {
    Nights nights(14);
    if (memory) nights.machine.larger["beta"] = {{11 * commits_a_day - 2, 64 * mib}};
    if (!memory) nights.machine.slower["beta"] = {{11 * commits_a_day - 2, 1.2}};
    nights.check_all(1, 10);
    cut_off_in_the_search(nights, 11);
    storage::Stores& stores = nights.bench->stores();
    const auto night = stores.nights.find("fake", nights.machine.name_of(11));
    REQUIRE((night && *night));
    REQUIRE(stores.nights.finish((*night)->id, model::Stage::failed, "given up", {}));
    const auto next = nights.check(12);
    CHECK(next.regressions.size() == 1);
    CHECK(next.reports.size() == 1);
    CHECK(nights.check(13).regressions.empty());
  }
}

TEST_CASE("History: a step below the threshold does not become an event of the machine", "[nights]") {
  Nights nights(20);
  nights.machine.slower["beta"] = {{12 * commits_a_day - 2, 1.05}};
  nights.check_all(1, 11);
  for (std::size_t day = 12; day < 20; ++day) {
    const auto result = nights.check(day);
    CHECK(verdict_of(result, "beta/cpu-infer/time") != Verdict::environment_changed);
    CHECK(events_of(nights, result).empty());
    CHECK(result.reports.empty());
  }
}

TEST_CASE("History: a machine that changes in the middle of a night is an event of that night alone", "[nights]") {
  Nights nights(8);
  nights.check_all(1, 4);
  int measured = 0;
  nights.machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect.starts_with("measure ") && ++measured > 3) return fail(ErrorKind::interrupted, "the machine restarts");
    return {};
  };
  CHECK_FALSE(pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(5), .baseline = {}}));
  nights.machine.before_effect = {};
  nights.machine.facts["kernel"] = "6.2";
  CHECK(events_of(nights, nights.check(5)).size() == 1);
  CHECK(events_of(nights, nights.check(6)).empty());
  CHECK(events_of(nights, nights.check(7)).empty());
}

TEST_CASE("History: the machine moved one series, and the others keep their history", "[nights]") {
  Nights nights(12);
  nights.check_all(1, 10);
  storage::Stores& stores = nights.bench->stores();
  const auto moved = stores.nights.find("fake", nights.machine.name_of(9)).value().value();
  const auto alpha = model::series_from("alpha/cpu-infer/time").value();
  const auto beta = model::series_from("beta/cpu-infer/time").value();
  const auto last = nights.check(11);
  const auto run = stores.runs.find("fake", model::run_keys::screen(last.night.name)).value().value();
  const auto nights_known = [&](const model::Series& series) {
    const auto history = pipeline::LevelHistory::read(nights.bench->context(), last.night, run);
    REQUIRE(history);
    const auto level = history->level_of(series);
    REQUIRE(level);
    return *level ? (*level)->baseline.nights : 0;
  };
  const int before = nights_known(beta);
  CHECK(before >= 8);
  CHECK(nights_known(alpha) == before);
  REQUIRE(stores.events.notice({.night_id = moved.id,
                                .runner = "test-runner",
                                .kind = model::EventKind::moved,
                                .series = alpha,
                                .reason = "a neighbour"},
                               {}));
  CHECK(nights_known(alpha) == 0);
  CHECK(nights_known(beta) == before);
}

TEST_CASE("History: 0.10 follows 0.9", "[nights]") {
  Nights nights(18);
  nights.machine.naming = [](std::size_t day) { return fmt::format("0.{}", day + 1); };  // day 9 is 0.10
  const std::size_t culprit = 15 * commits_a_day - 2;
  nights.machine.slower["beta"] = {{culprit, 1.2}};
  nights.check_all(1, 14);
  CHECK(nights.measured_on(13) <= 2);  // the history of the nights around 0.10 is long enough to measure alone
  const auto result = nights.check(15);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].old_build == nights.machine.name_of(12));
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(culprit)});
  CHECK(nights.check(16).reports.empty());
}

}  // namespace tbci::history_test
