// Nights that come late: judged after newer ones, or searched before the repository has their commits.
#include "pipeline/night/night_bisecting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::late_nights_test {

using namespace tbci::test;
using model::Standing;

TEST_CASE("Late nights: those of older nightlies end no regression", "[nights]") {
  Nights nights(14);
  nights.machine.slower["beta"] = {{9 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 5);
  REQUIRE(nights.check(9).regressions.size() == 1);
  for (std::size_t late = 6; late < 9; ++late) CHECK(nights.check(late).regressions.empty());
  CHECK(nights.regressions().front().standing == Standing::open);
  nights.check_all(10, 12);
  CHECK(nights.regressions().front().standing == Standing::open);
}

TEST_CASE("Late nights: one that is judged late does not report what a later one has reported", "[nights]") {
  Nights nights(14);
  nights.bench->config().subjects.front().source.repository.clear();  // so that no culprit makes the two one
  nights.machine.slower["beta"] = {{7 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 5);
  REQUIRE(nights.check(8).reports.size() == 1);
  CHECK(nights.check(6).reports.empty());
  CHECK(nights.check(7).reports.empty());
  CHECK(nights.regressions().size() == 1);
}

TEST_CASE("Late nights: a culprit that the repository does not have yet is searched once it is there", "[nights]") {
  Nights nights(8);
  nights.machine.slower["beta"] = {{5 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 4);
  nights.machine.pushed = 5 * commits_a_day - 2;
  const pipeline::NightChoice tonight{.nightly = nights.machine.name_of(5), .baseline = {}};
  const auto lagging = pipeline::check_night(nights.bench->context(), tonight);
  REQUIRE_FALSE(lagging);
  CHECK(lagging.error().kind == ErrorKind::transient);
  nights.machine.pushed = 1000;
  const auto result = nights.check(5);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(5 * commits_a_day - 1)});
}

}  // namespace tbci::late_nights_test
