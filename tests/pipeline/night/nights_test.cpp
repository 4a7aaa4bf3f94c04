// Nights in a row: what one night learns from those before it.
#include "tests/pipeline/nights.hpp"

namespace tbci::nights_test {

using namespace tbci::test;

using model::Verdict;

TEST_CASE("Nights: a step of a night that could not measure the case is found by the next one", "[nights]") {
  Nights nights(8);
  nights.machine.slower["beta"] = {{5 * commits_a_day - 1, 1.3}};
  nights.check_all(1, 4);
  nights.machine.without_space = 1000;
  CHECK(nights.check(5).regressions.empty());
  nights.machine.without_space = 0;
  const auto result = nights.check(6);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(5 * commits_a_day - 1)});
  CHECK(nights.check(7).regressions.empty());
}

TEST_CASE("Nights: a leak of a night on which the old build alone could not run is found by the next one", "[nights]") {
  Nights nights(8);
  nights.machine.leaking["beta"] = {{5 * commits_a_day - 1, 20'000}};
  nights.check_all(1, 4);
  nights.machine.crashing = {{4 * commits_a_day, 1000}};
  CHECK(nights.check(5).regressions.empty());
  nights.machine.crashing.clear();
  const auto result = nights.check(6);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].finding.series.metric == model::Metric::cpu_leak);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(5 * commits_a_day - 1)});
  CHECK(nights.check(7).regressions.empty());
}

TEST_CASE("Nights: a step of a case of which half of the processes crash is confirmed on its night", "[nights]") {
  Nights nights(8);
  nights.machine.slower["beta"] = {{5 * commits_a_day - 1, 1.4}};
  nights.check_all(1, 4);
  nights.machine.crash_one_in = 2;
  const auto result = nights.check(5);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == model::Verdict::regression);
  CHECK(verdict_of(result, "alpha/cpu-infer/time") != model::Verdict::regression);
}

TEST_CASE("Nights: once there is a history the new build is measured alone", "[nights]") {
  Nights nights(14);
  nights.check_all(1, 3);
  CHECK(nights.measured_on(2) > 0);
  nights.check_all(4, 12);
  const auto result = nights.check(13);
  CHECK(verdict_of(result, "alpha/cpu-infer/time") == Verdict::clear);
  CHECK(nights.measured_on(13) > 0);
  for (std::size_t day = 0; day < 13; ++day) {
    const bool is_gpu_question = nights.measured_on(day) <= 2;  // is it supported? asked beside, as there is no history
    CHECK(is_gpu_question);
  }
}

TEST_CASE("Nights: where all pairs take turns, each night measures its cases beside an old build", "[nights]") {
  Nights nights(10);
  nights.machine.alternating = true;
  nights.bench->config().measure.alternate = settings::Alternate::all;
  nights.machine.shared_noise = 0.3;  // as beside compilers: single times say nothing
  nights.machine.slower["beta"] = {{9 * commits_a_day - 2, 1.2}};
  nights.check_all(1, 8);
  nights.machine.alternating_pairs = 0;
  const auto result = nights.check(9);
  CHECK(nights.machine.alternating_pairs > 6);
  CHECK(verdict_of(result, "alpha/cpu-infer/time") == Verdict::clear);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(9 * commits_a_day - 2)});
}

TEST_CASE("Nights: a slowdown against the history is confirmed against an older build, and bisected", "[nights]") {
  Nights nights(14);
  nights.machine.slower["beta"] = {{13 * commits_a_day - 2, 1.2}};
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::regression);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(13 * commits_a_day - 2)});
  CHECK(result.regressions[0].old_build < nights.machine.name_of(12));
  CHECK(result.reports.size() == 1);
  // The night after: the history restarts, and nothing is filed again.
}

TEST_CASE("Nights: an index that fails after the confirmation ends no night, and the search goes on later",
          "[nights]") {
  for (const ErrorKind kind : {ErrorKind::failed, ErrorKind::transient}) {
    Nights nights(14);
    nights.machine.slower["beta"] = {{13 * commits_a_day - 2, 1.2}};
    nights.check_all(1, 12);
    const std::string name = nights.machine.name_of(13);
    nights.machine.before_list = [&]() -> Status {
      const auto night = nights.bench->stores().nights.find("fake", name).value();
      if (!night || night->stage != model::Stage::bisect) return {};
      return fail(kind, "ERROR: No matching distribution found for torch");
    };
    const auto cut_off = pipeline::check_night(nights.bench->context(), {.nightly = name, .baseline = {}});
    if (!cut_off) CHECK_FALSE(nights.bench->stores().nights.find("fake", name).value()->finished);
    nights.machine.before_list = {};
    const auto result = nights.check(13);
    CHECK(result.night.stage == model::Stage::done);
    REQUIRE(result.regressions.size() == 1);
    CHECK(result.regressions[0].suspects == std::vector{nights.commit(13 * commits_a_day - 2)});
  }
}

TEST_CASE("Nights: what was filed once is not filed again", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{11 * commits_a_day - 2, 1.2}};
  nights.check_all(1, 10);
  CHECK(nights.check(11).reports.size() == 1);
  for (std::size_t day = 12; day < 16; ++day) {
    const auto result = nights.check(day);
    CHECK(result.reports.empty());
    CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::clear);
  }
}

TEST_CASE("Nights: a case with a history that becomes unsupported is said to fail", "[nights]") {
  Nights nights(14);
  nights.check_all(1, 12);
  nights.machine.broken["beta"] = model::Outcome::unsupported;
  nights.machine.broken_from = 13 * commits_a_day;
  const auto result = nights.check(13);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::inconclusive);
  CHECK(verdict_of(result, "alpha/cpu-infer/time") == Verdict::clear);
}

TEST_CASE("Nights: a machine that is slow for one night is an event, and files nothing", "[nights]") {
  Nights nights(15);
  nights.check_all(1, 12);
  nights.machine.slowness = 1.15;
  const auto slow = nights.check(13);
  CHECK(verdict_of(slow, "alpha/cpu-infer/time") == Verdict::environment_changed);
  CHECK(verdict_of(slow, "beta/cpu-infer/time") == Verdict::environment_changed);
  CHECK(slow.reports.empty());
  const auto events = nights.bench->stores().events.of_night(slow.night.id);
  REQUIRE(events);
  CHECK(events->size() == 2);
  CHECK(events->front().kind == model::EventKind::moved);
  nights.machine.slowness = 1;
  const auto after = nights.check(14);
  CHECK(after.reports.empty());
  CHECK(verdict_of(after, "alpha/cpu-infer/time") == Verdict::clear);
}

TEST_CASE("Nights: a slowdown that comes on a slow night is found all the same", "[nights]") {
  Nights nights(14);
  nights.machine.slower["beta"] = {{13 * commits_a_day - 1, 1.2}};
  nights.check_all(1, 12);
  nights.machine.slowness = 1.15;
  const auto result = nights.check(13);
  CHECK(verdict_of(result, "alpha/cpu-infer/time") == Verdict::environment_changed);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::regression);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(13 * commits_a_day - 1)});
}

TEST_CASE("Nights: another machine is an event, and its history restarts", "[nights]") {
  Nights nights(14);
  nights.check_all(1, 12);
  nights.machine.facts["kernel"] = "6.2";
  const auto result = nights.check(13);
  const auto events = nights.bench->stores().events.of_night(result.night.id);
  REQUIRE(events);
  REQUIRE(events->size() == 1);
  CHECK(events->front().kind == model::EventKind::environment);
  CHECK_FALSE(events->front().series.has_value());
  CHECK(events->front().reason.find("kernel") != std::string::npos);
  CHECK(nights.measured_on(12) > 5);  // beside, as on the first night
  CHECK(result.reports.empty());
}

TEST_CASE("Nights: what there was no time for is asked the next night, against the same old build", "[nights]") {
  Nights nights(5);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.2}};
  nights.check(1);
  nights.bench->config().measure.confirm_limit = std::chrono::milliseconds(0);
  const auto hurried = nights.check(2);
  CHECK(verdict_of(hurried, "beta/cpu-infer/time") == Verdict::suspect);
  CHECK(hurried.reports.empty());
  const auto left = nights.bench->stores().retests.of_night(hurried.night.id);
  REQUIRE(left);
  REQUIRE(left->size() == 1);
  CHECK(left->front().old_build == nights.machine.name_of(1));
  CHECK(left->front().nights_waited == 1);
  CHECK(hurried.night.note.find("1 series could not be judged") == 0);

  nights.bench->config().measure.confirm_limit = std::chrono::hours(1);
  const auto result = nights.check(3);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].old_build == nights.machine.name_of(1));
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(2 * commits_a_day - 1)});
  REQUIRE(result.reports.size() == 1);
  CHECK(nights.bench->stores().retests.of_night(result.night.id)->empty());
}

TEST_CASE("Nights: a night on which no suite could be listed says that it measured nothing", "[nights]") {
  Nights nights(4);
  CHECK(pipeline::why_nothing_measured(nights.check(1)).empty());
  nights.machine.unlistable_from = 0;
  CHECK_FALSE(pipeline::why_nothing_measured(nights.check(2)).empty());
  CHECK_FALSE(pipeline::why_nothing_measured({}).empty());
}

TEST_CASE("Nights: a retest beside a build that crashes does not hide the step of tonight", "[nights]") {
  Nights nights(13);
  nights.check_all(1, 9);
  nights.queue_on_day_9(nights.machine.name_of(0), {{100, 106}});
  nights.machine.crashing = {{0, 1000}};
  nights.machine.slower["beta"] = {{10 * commits_a_day - 1, 1.25}};
  const auto result = nights.check(10);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(10 * commits_a_day - 1)});
  CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::regression);
  CHECK(nights.waiting_after(result).empty());
  for (std::size_t day = 11; day < 13; ++day) CHECK(nights.check(day).regressions.empty());
}

TEST_CASE("Nights: a retest that an older change of its series draws over the threshold does not hide tonight's step",
          "[nights]") {
  Nights nights(13);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.06}, {10 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 9);
  std::vector<std::pair<double, double>> undecided;
  for (int i = 0; i < 64; ++i) undecided.emplace_back(100, 104.5 + i % 5);
  nights.queue_on_day_9(nights.machine.name_of(1), undecided);
  const auto result = nights.check(10);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].finding.change > 0.2);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(10 * commits_a_day - 1)});
  CHECK(nights.waiting_after(result).empty());
}

TEST_CASE("Nights: a retest that the machine alone failed is asked again, one that its build fails is not",
          "[nights]") {
  for (const bool full_disk : {true, false}) {
    INFO(full_disk);
    Nights nights(12);
    nights.check_all(1, 9);
    nights.queue_on_day_9(nights.machine.name_of(0));
    if (!full_disk) nights.machine.crashing = {{0, 1000}};
    nights.machine.before_effect = [&](const std::string& effect) -> Status {
      nights.machine.without_space = full_disk && effect.starts_with("measure " + nights.commit(0)) ? 1 : 0;
      return {};
    };
    const auto result = nights.check(10);
    CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::inconclusive);
    const auto waiting = nights.waiting_after(result);
    REQUIRE(waiting.size() == (full_disk ? 1 : 0));
    if (!full_disk) continue;
    CHECK(waiting.front().nights_looked == 1);
    nights.machine.before_effect = {};
    nights.machine.without_space = 0;
    CHECK(verdict_of(nights.check(11), "beta/cpu-infer/time") == Verdict::clear);
  }
}

TEST_CASE("Nights: creep below the threshold is found against the anchor, once", "[nights]") {
  Nights nights(7);
  for (std::size_t day = 2; day < 7; ++day) nights.machine.slower["beta"].emplace_back(day * commits_a_day - 1, 1.035);
  nights.check(1);
  storage::Stores& stores = nights.bench->stores();
  const auto build = stores.builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(1));
  REQUIRE(build);
  REQUIRE(stores.anchors.set({0, "fake", (*build)->id, "ada", "the release", {}}));
  int filed = 0;
  for (std::size_t day = 2; day < 7; ++day) {
    const auto result = nights.check(day);
    filed += static_cast<int>(result.reports.size());
    for (const model::Regression& regression : result.regressions) {
      CHECK(to_string(regression.finding.series) == "beta/cpu-infer/time");
      CHECK(regression.old_build == nights.machine.name_of(1));
      CHECK(regression.finding.change > 0.07);
    }
  }
  CHECK(filed == 1);
}

TEST_CASE("Nights: creep against an anchor that the index has forgotten is searched and filed all the same",
          "[nights]") {
  Nights nights(7);
  for (std::size_t day = 2; day < 7; ++day) nights.machine.slower["beta"].emplace_back(day * commits_a_day - 1, 1.035);
  nights.check(1);
  storage::Stores& stores = nights.bench->stores();
  const auto build = stores.builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(1));
  REQUIRE(build);
  REQUIRE(stores.anchors.set({0, "fake", (*build)->id, "ada", "the release", {}}));
  std::size_t filed = 0;
  for (std::size_t day = 2; day < 7; ++day) {
    nights.machine.listed_from = day > 4 ? day - 3 : 0;
    const auto result = nights.check(day);
    filed += result.reports.size();
    for (const model::Regression& regression : result.regressions) {
      INFO(regression.reason);
      CHECK(regression.bisection_id);  // it was searched, between the anchor's commit and tonight's
    }
  }
  CHECK(filed == 1);
}

TEST_CASE("Nights: the next older baseline replaces one that no longer installs", "[nights]") {
  Nights nights(6);
  nights.check_all(1, 3);
  // The environments were removed by hand, and the index has lost the nightly of day 3.
  storage::BuildStore& builds = nights.bench->stores().builds;
  for (const std::size_t day : {2U, 3U})
    REQUIRE(builds.forget(builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(day)).value()->id));
  nights.machine.unbuildable = {nights.machine.days[3]};
  CHECK(nights.check(4).night.baseline == nights.machine.name_of(2));
  CHECK(nights.check(4).night.stage == model::Stage::done);
  CHECK(nights.check(5).night.baseline == nights.machine.name_of(4));
}

TEST_CASE("Nights: where no baseline installs, the new nightly is not at fault", "[nights]") {
  Nights nights(9);
  nights.check_all(1, 6);
  storage::BuildStore& builds = nights.bench->stores().builds;
  for (std::size_t day = 0; day <= 6; ++day) {
    const auto build = builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(day)).value();
    REQUIRE(builds.forget(build->id));
    nights.machine.unbuildable.insert(nights.machine.days[day]);
  }
  const auto result =
      pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(7), .baseline = {}});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::machine);
  const auto night = nights.bench->stores().nights.find("fake", nights.machine.name_of(7)).value();
  CHECK_FALSE(night->finished);
}

TEST_CASE("Nights: without an anchor nothing is measured against one", "[nights]") {
  Nights nights(4);
  nights.check_all(1, 3);
  CHECK(nights.measured_on(1) == 0);
}

}  // namespace tbci::nights_test
