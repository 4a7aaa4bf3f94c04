#include "pipeline/night/missing_days.hpp"

#include "tests/catch.hpp"

namespace tbci::missing_days_test {

using pipeline::missing_days;
using Names = std::vector<std::string>;

namespace {

Names days(const Names& versions) {
  Names names;
  for (const pipeline::MissingDay& missing : missing_days(versions)) names.push_back(pipeline::day_name(missing.day));
  return names;
}

}  // namespace

TEST_CASE("Missing days: those between two nightlies are named, also over the end of a month", "[nights]") {
  CHECK(days({"2.14.0.dev20261128", "2.14.0.dev20261129", "2.14.0.dev20261202"}) == Names{"2026-11-30", "2026-12-01"});
  CHECK(days({"2.14.0.dev20261128+cpu", "2.14.0.dev20261129+cpu"}).empty());
  CHECK(days({}).empty());
}

TEST_CASE("Missing days: each gets a version between those of its neighbours", "[nights]") {
  const auto missing = missing_days({"2.13.0.dev20261128+cpu", "2.14.0.dev20261130+cpu"});
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].version == "2.13.0.dev20261129+cpu");
}

TEST_CASE("Missing days: a release, a day of a calendar that does not exist, and longer numbers are not dates",
          "[nights]") {
  CHECK(days({"2.14.0.dev20261128", "2.14.0", "2.14.0.dev20261131", "2.15.0.dev202611305", "2.15.0.dev20261130"}) ==
        Names{"2026-11-29"});
  CHECK_FALSE(pipeline::day_of_version("2026-11-28"));
  CHECK_FALSE(pipeline::day_of_version("2.14.0"));
  CHECK_FALSE(pipeline::day_of_version("2.14.0.dev20261131"));
  CHECK_FALSE(pipeline::day_of_version("2.14.0.dev20261301"));
}

TEST_CASE("Missing days: a nightly of another release fills its day, and a long pause misses nothing", "[nights]") {
  CHECK(days({"2.13.0.dev20261126", "2.13.0.dev20261128", "2.14.0.dev20261127", "2.14.0.dev20261128"}).empty());
  CHECK(days({"2.13.0.dev20260101", "2.13.0.dev20260301"}).empty());
}

}  // namespace tbci::missing_days_test
