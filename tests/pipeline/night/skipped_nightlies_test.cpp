#include "pipeline/night/skipped_nightlies.hpp"

#include "pipeline/night/night_selection.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::skipped_nightlies_test {

using namespace tbci::test;
using namespace std::chrono_literals;

using model::Availability;
using model::SkipCause;
using Names = std::vector<std::string>;

namespace {

/// Nightlies 2.14.0.dev20261105 to 2.14.0.dev20261110 of a package; the one of the 6th was checked.
struct SixDays {
  SixDays() {
    machine.days = {0, 4, 8, 12, 16, 20};
    machine.naming = [](std::size_t day) { return fmt::format("2.14.0.dev202611{:02}", day + 5); };
    bench.config().subjects.front().nightly.kind = runner::NightlyKind::pip;
    machine.unlisted = {2, 3, 4, 5};
    check("");
  }
  static std::string of(int day) { return fmt::format("2.14.0.dev202611{:02}", day); }
  void publish(int day) { machine.unlisted.erase(static_cast<std::size_t>(day - 5)); }
  void check(const std::string& name) {
    const auto result = pipeline::check_night(bench.context(), {.nightly = name});
    INFO((result ? std::string() : result.error().message));
    REQUIRE(result);
  }
  Names unchecked() { return pipeline::unchecked_nightlies(bench.context()).value(); }
  std::optional<model::SkippedNightly> row(const std::string& name) {
    return bench.stores().skips.find("fake", name).value();
  }
  /// What lies between two nightlies, as a report says it.
  Names between(int from, int to) {
    Names all;
    const auto skipped = bench.stores().skips.between("fake", of(from), of(to)).value();
    for (const model::SkippedNightly& one : skipped) all.push_back(one.name + " (" + model::why_skipped(one) + ")");
    return all;
  }

  TemporaryDirectory folder;
  FakeMachine machine{21};
  Bench bench{folder.path(), machine};
};

}  // namespace

TEST_CASE("Skipped nightlies: an incomplete one is kept from when it is first seen, and checked when it comes in time",
          "[nights]") {
  SixDays days;
  days.publish(7);
  days.machine.availability = {{days.of(7), Availability::incomplete}};
  days.machine.remarks = {{days.of(7), "it has no wheel for this Python"}};
  const TimePoint first = days.bench.clock().now();
  CHECK(days.unchecked().empty());
  days.bench.clock().advance(3h);
  CHECK(days.unchecked().empty());
  const auto waiting = days.row(days.of(7));
  REQUIRE(waiting);
  CHECK(is_waited_for(*waiting));
  CHECK(waiting->seen == first);
  CHECK(waiting->reason == "it has no wheel for this Python");
  days.machine.availability.clear();
  CHECK(days.unchecked() == Names{days.of(7)});
  days.check(days.of(7));
  CHECK(days.unchecked().empty());
  CHECK(days.between(6, 8).empty());
}

TEST_CASE("Skipped nightlies: one that comes in time is checked also where a newer one was checked meanwhile",
          "[nights]") {
  SixDays days;
  days.publish(7);
  days.publish(8);
  days.machine.availability = {{days.of(7), Availability::incomplete}};
  CHECK(days.unchecked() == Names{days.of(8)});
  days.check(days.of(8));
  CHECK(days.between(6, 8) == Names{days.of(7) + " (not complete yet)"});
  days.bench.clock().advance(30h);
  days.machine.availability.clear();
  CHECK(days.unchecked() == Names{days.of(7)});
  days.bench.clock().advance(30h);  // it has come, so it waits as any other night
  CHECK(days.unchecked() == Names{days.of(7)});
}

TEST_CASE("Skipped nightlies: one that never comes is given up after the limit, and is not checked any more",
          "[nights]") {
  SixDays days;
  days.publish(7);
  days.machine.availability = {{days.of(7), Availability::incomplete}};
  CHECK(days.unchecked().empty());
  days.bench.clock().advance(35h);
  CHECK(days.unchecked().empty());
  CHECK_FALSE(days.row(days.of(7))->given_up);
  days.bench.clock().advance(1h);
  CHECK(days.unchecked().empty());
  CHECK(days.row(days.of(7))->given_up == days.bench.clock().now());
  days.machine.availability.clear();
  CHECK(days.unchecked().empty());
  CHECK(pipeline::choose_night(days.bench.context(), {}).value().nightly.name == days.of(6));
  days.publish(8);
  days.check(days.of(8));
  CHECK(days.between(6, 8) == Names{days.of(7) + " (complete too late)"});
  days.check(days.of(7));  // a person may
  CHECK(days.between(6, 8).empty());
}

TEST_CASE("Skipped nightlies: an index that does not answer gives nothing up", "[nights]") {
  SixDays days;
  days.publish(7);
  days.machine.availability = {{days.of(7), Availability::incomplete}};
  CHECK(days.unchecked().empty());
  days.bench.clock().advance(60h);
  days.machine.before_list = [] { return Status(fail(ErrorKind::transient, "the index answered 503")); };
  CHECK_FALSE(pipeline::unchecked_nightlies(days.bench.context()));
  CHECK(is_waited_for(*days.row(days.of(7))));
  days.machine.before_list = nullptr;
  days.machine.availability.clear();  // it came meanwhile
  CHECK(days.unchecked() == Names{days.of(7)});
}

TEST_CASE("Skipped nightlies: a clock that was set back lets the wait begin again", "[nights]") {
  SixDays days;
  days.publish(7);
  days.machine.availability = {{days.of(7), Availability::incomplete}};
  CHECK(days.unchecked().empty());
  days.bench.clock().advance(-1000h);
  CHECK(days.unchecked().empty());
  days.bench.clock().advance(37h);
  CHECK(days.unchecked().empty());
  CHECK(days.row(days.of(7))->given_up);
}

TEST_CASE("Skipped nightlies: what was taken back is skipped with the index's remark", "[nights]") {
  SixDays days;
  days.publish(7);
  days.publish(8);
  days.machine.availability = {{days.of(7), Availability::yanked}};
  days.machine.remarks = {{days.of(7), "yanked: wrong wheel"}};
  CHECK(days.unchecked() == Names{days.of(8)});
  CHECK(days.row(days.of(7))->given_up);
  days.check(days.of(8));
  CHECK(days.between(6, 8) == Names{days.of(7) + " (yanked: wrong wheel)"});
}

TEST_CASE("Skipped nightlies: what was taken back after it was checked was not missed", "[nights]") {
  SixDays days;
  days.publish(7);
  days.machine.availability = {{days.of(6), Availability::yanked}, {days.of(5), Availability::yanked}};
  CHECK(days.unchecked() == Names{days.of(7)});
  CHECK(days.bench.stores().skips.list("fake").value().empty());
}

TEST_CASE("Skipped nightlies: a day without a nightly is named, and one that comes later is checked", "[nights]") {
  SixDays days;
  days.publish(8);
  CHECK(days.unchecked() == Names{days.of(8)});
  days.check(days.of(8));
  CHECK(days.between(6, 8) == Names{"2026-11-07 (no nightly of that day yet)"});
  days.bench.clock().advance(10h);
  days.publish(7);
  CHECK(days.unchecked() == Names{days.of(7)});
  CHECK_FALSE(days.row("2026-11-07"));
  days.check(days.of(7));
  CHECK(days.between(6, 8).empty());
}

TEST_CASE("Skipped nightlies: a day that stays without a nightly is given up", "[nights]") {
  SixDays days;
  days.publish(8);
  days.check(days.of(8));
  days.bench.clock().advance(40h);
  CHECK(days.unchecked().empty());
  CHECK(days.between(6, 8) == Names{"2026-11-07 (no nightly of that day)"});
  days.publish(7);
  CHECK(days.unchecked().empty());
  CHECK(days.between(6, 8) == Names{days.of(7) + " (published too late)"});
}

TEST_CASE("Skipped nightlies: a day without commits of a branch was not missed", "[nights]") {
  SixDays days;
  days.bench.config().subjects.front().nightly.kind = runner::NightlyKind::git_days;
  days.publish(9);
  CHECK(days.unchecked() == Names{days.of(9)});
  CHECK(days.bench.stores().skips.list("fake").value().empty());
}

TEST_CASE("Skipped nightlies: those that nobody checked between a night and its baseline are kept", "[nights]") {
  SixDays days;
  for (const int day : {7, 8, 9}) days.publish(day);
  days.check("");  // the newest
  CHECK(days.between(6, 9) == Names{days.of(7) + " (never checked)", days.of(8) + " (never checked)"});
  days.check(days.of(8));
  CHECK(days.between(6, 9) == Names{days.of(7) + " (never checked)"});
}

TEST_CASE("Skipped nightlies: a baseline that cannot be installed any more widens the range, and is named",
          "[nights]") {
  SixDays days;
  days.publish(7);
  days.check("");
  days.publish(8);
  const auto build = days.bench.stores().builds.find("fake", model::BuildKind::nightly, days.of(7)).value();
  REQUIRE(days.bench.stores().builds.forget(build->id));
  days.machine.unbuildable = {8};
  days.check("");
  CHECK(days.bench.stores().nights.find("fake", days.of(8)).value()->baseline == days.of(6));
  const auto between = days.between(6, 8);
  REQUIRE(between.size() == 1);
  CHECK(between[0].starts_with(days.of(7) + " (cannot be installed: "));
  // Once it is known, it is left out as a baseline, and is named all the same.
  REQUIRE(days.bench.stores().skips.remove("fake", days.of(7)));
  REQUIRE(pipeline::note_unchecked(days.bench.context(), days.machine.nightlies({}).value(), days.of(6), days.of(8)));
  CHECK(days.between(6, 8).size() == 1);
}

TEST_CASE("Skipped nightlies: the first night waits for nothing that is older than its baseline", "[nights]") {
  SixDays fresh;  // for the names alone
  TemporaryDirectory folder;
  FakeMachine machine{21};
  machine.days = {0, 4, 8, 12, 16};
  machine.naming = fresh.machine.naming;
  machine.availability = {{fresh.of(5), Availability::incomplete}, {fresh.of(8), Availability::incomplete}};
  Bench bench(folder.path(), machine);
  CHECK(pipeline::unchecked_nightlies(bench.context()).value() == Names{fresh.of(9)});
  const auto rows = bench.stores().skips.list("fake").value();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == fresh.of(8));
}

}  // namespace tbci::skipped_nightlies_test
