// Breaks that only part of the processes show, on a fake machine.
#include <cmath>

#include "detect/breaks.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::flaky_breaks_test {

using namespace tbci::test;

using model::Standing;

namespace {

const std::string series = "beta/cpu-infer/outcome";

}  // namespace

TEST_CASE("Breaks: one that a third of the processes show has its own culprit", "[nights]") {
  BrokenNights nights(19);
  nights.machine.broken_percent = 35;
  nights.check_all(1, 12);
  std::vector<model::Regression> found;
  for (std::size_t day = 13; day < 19 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  CHECK(found[0].suspects == std::vector{nights.commit(breaking_commit)});
  CHECK(found[0].finding.after < 0.8);
}

TEST_CASE("Breaks: one that part of the processes show has not recovered after three nights without a failure",
          "[nights]") {
  BrokenNights nights(42);
  nights.machine.broken_percent = 35;
  nights.check_all(1, 12);
  std::size_t day = 13;
  std::vector<model::Regression> found;
  for (; day < 20 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  const double share = found[0].finding.low;
  REQUIRE(share < 0.4);
  nights.machine.broken_percent = 0;
  const std::size_t fixed = day;
  while (day < 42 && regression_of(nights, found[0].id).standing == Standing::open) nights.check(day++);
  CHECK(regression_of(nights, found[0].id).standing == Standing::recovered);
  const auto why = nights.bench->stores().decisions.of_regression(found[0].id).value();
  INFO(why.back().reason << ", at least " << share);
  CHECK(day - fixed > 3);
  // Three processes a night at least, and all of them together would have hidden it in one of a thousand cases.
  CHECK(std::pow(1 - share, 3.0 * static_cast<double>(day - fixed - 1)) > 0.0001);
}

TEST_CASE("Breaks: one that part of the processes show, and that a person accepted, is not found again", "[nights]") {
  BrokenNights nights(90);
  nights.machine.broken_percent = 60;
  nights.check_all(1, 12);
  std::size_t day = 13;
  std::vector<model::Regression> found;
  for (; day < 20 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), found[0].id,
                                      {.person = "Ada", .reason = "a race that is known", .now = {}}, false));
  while (day < 46) CHECK(nights.check(day++).regressions.empty());
  // It ends, and the case breaks again: that is another break.
  nights.machine.broken_until = day * commits_a_day - 1;
  const int quiet = detect::processes_until_over(found[0].finding.low);
  INFO("over after " << quiet << " processes");
  const std::size_t fixed = day;
  for (; day < fixed + static_cast<std::size_t>(quiet) / 3 + 2; ++day) CHECK(nights.check(day).regressions.empty());
  nights.machine.broken_from = day * commits_a_day - 2;
  nights.machine.broken_until = 1000;
  nights.machine.broken_percent = 100;
  const auto again = nights.check(day);
  REQUIRE(again.regressions.size() == 1);
  CHECK(again.regressions[0].suspects == std::vector{nights.commit(day * commits_a_day - 2)});
}

TEST_CASE("Breaks: one that hid by chance on its first nights is found against the build before it", "[nights]") {
  // The screen compares with a build of three nights before: that one is broken as well.
  constexpr std::size_t hidden = 3;
  BrokenNights nights(21);
  nights.check_all(1, 12);
  nights.machine.broken_percent = 0;
  for (std::size_t day = 13; day < 13 + hidden; ++day) CHECK(nights.check(day).regressions.empty());
  nights.machine.broken_percent = 85;
  std::vector<model::Regression> found;
  for (std::size_t day = 13 + hidden; day < 21 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  CHECK(to_string(found[0].finding.series) == series);
  CHECK(found[0].suspects == std::vector{nights.commit(breaking_commit)});
}

TEST_CASE("Breaks: one that hid by chance is found in a case that had broken and recovered before", "[nights]") {
  constexpr std::size_t again = 20 * commits_a_day - 2;
  BrokenNights nights(28);
  nights.machine.broken_until = 15 * commits_a_day - 1;
  nights.check_all(1, 17);
  nights.machine.broken_from = again;
  nights.machine.broken_until = 1000;
  nights.machine.broken_percent = 0;
  nights.check_all(18, 22);
  nights.machine.broken_percent = 85;
  std::vector<model::Regression> found;
  for (std::size_t day = 23; day < 28 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  CHECK(found[0].suspects == std::vector{nights.commit(again)});
}

TEST_CASE("Breaks: one that hid by chance is found in a case of which a person had accepted an earlier break") {
  constexpr std::size_t again = 30 * commits_a_day - 2;
  BrokenNights nights(38);
  nights.machine.broken_until = 15 * commits_a_day - 1;
  nights.check_all(1, 12);
  const auto first = nights.check(13);
  REQUIRE(first.regressions.size() == 1);
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), first.regressions[0].id,
                                      {.person = "Ada", .reason = "known", .now = {}}, false));
  nights.check_all(14, 27);
  nights.machine.broken_from = again;
  nights.machine.broken_until = 1000;
  nights.machine.broken_percent = 0;
  nights.check_all(28, 32);
  nights.machine.broken_percent = 85;
  std::vector<model::Regression> found;
  for (std::size_t day = 33; day < 38 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  CHECK(found[0].suspects == std::vector{nights.commit(again)});
}

}  // namespace tbci::flaky_breaks_test
