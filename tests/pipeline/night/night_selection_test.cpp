#include "pipeline/night/night_selection.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::night_selection_test {

using namespace tbci::test;

using model::Availability;
using Names = std::vector<std::string>;

namespace {

struct FiveDays {
  FiveDays() { machine.days = {0, 20, 40, 60, 80}; }  // 2026-01-05 to 2026-01-09
  Result<pipeline::ChosenNight> choose(const std::string& name = {}) {
    return pipeline::choose_night(bench.context(), {.nightly = name, .baseline = {}, .retry = false});
  }
  Names unchecked() { return pipeline::unchecked_nightlies(bench.context()).value(); }

  TemporaryDirectory folder;
  FakeMachine machine{81};
  Bench bench{folder.path(), machine};
};

}  // namespace

TEST_CASE("Night selection: what cannot be installed yet, or was taken back, is not checked", "[pipeline]") {
  FiveDays days;
  REQUIRE(pipeline::check_night(days.bench.context(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  days.machine.availability = {{"2026-01-07", Availability::yanked}, {"2026-01-09", Availability::incomplete}};
  CHECK(days.unchecked() == Names{"2026-01-08"});
  CHECK(days.choose().value().nightly.name == "2026-01-08");
  CHECK(days.choose().value().baseline.name == "2026-01-06");
  days.machine.availability.erase("2026-01-09");  // its wheel is there now
  CHECK(days.unchecked() == Names{"2026-01-08", "2026-01-09"});
}

TEST_CASE("Night selection: a person can name what was taken back, and not what is incomplete", "[pipeline]") {
  FiveDays days;
  days.machine.availability = {{"2026-01-08", Availability::yanked}, {"2026-01-09", Availability::incomplete}};
  CHECK(days.choose("2026-01-08").value().nightly.name == "2026-01-08");
  const auto refused = days.choose("2026-01-09");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::transient);
  CHECK(contains(refused.error().message, "the nightly 2026-01-09 cannot be installed here"));
}

TEST_CASE("Night selection: what was taken back is a baseline only if it was checked before", "[pipeline]") {
  FiveDays days;
  days.machine.availability = {{"2026-01-07", Availability::yanked}};
  CHECK(days.choose("2026-01-08").value().baseline.name == "2026-01-06");
  days.machine.availability.clear();
  REQUIRE(pipeline::check_night(days.bench.context(), {.nightly = "2026-01-07", .baseline = {}, .retry = false}));
  days.machine.availability = {{"2026-01-07", Availability::yanked}};
  CHECK(days.choose("2026-01-08").value().baseline.name == "2026-01-07");
}

TEST_CASE("Night selection: a night that was begun goes on when its nightly is taken back", "[pipeline]") {
  FiveDays days;
  days.machine.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::interrupted, "cut off"); };
  REQUIRE_FALSE(pipeline::check_night(days.bench.context()));
  days.machine.availability = {{"2026-01-09", Availability::yanked}};
  CHECK(days.unchecked() == Names{"2026-01-09"});
}

TEST_CASE("Night selection: incomplete nightlies are not two to compare", "[pipeline]") {
  FiveDays days;
  for (const char* name : {"2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"})
    days.machine.availability[name] = Availability::incomplete;
  CHECK(days.unchecked().empty());
  const auto refused = days.choose();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(contains(refused.error().message, "has published 1 nightly that can be installed here"));
}

}  // namespace tbci::night_selection_test
