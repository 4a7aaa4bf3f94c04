// How a break ends, where a fault of the disk comes between.
#include "storage/connection.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::break_endings_test {

using namespace tbci::test;

TEST_CASE("Break endings: a break whose end could not be kept has not recovered", "[nights]") {
  BrokenNights nights(20);
  nights.machine.broken_until = 14 * commits_a_day - 1;
  nights.check_all(1, 13);
  REQUIRE(nights.regressions().size() == 1);
  const auto id = nights.regressions().front().id;
  storage::Stores& stores = nights.bench->stores();
  SQLite::Database& sqlite = stores.database.connection().sqlite;
  sqlite.exec("CREATE TRIGGER full BEFORE INSERT ON ending BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  std::size_t day = 13;
  bool went_well = true;
  while (went_well && ++day < 19) {
    const pipeline::NightChoice night{.nightly = nights.machine.name_of(day), .baseline = {}};
    went_well = pipeline::check_night(nights.bench->context(), night).has_value();
    CHECK(regression_of(nights, id).standing == model::Standing::open);
  }
  REQUIRE_FALSE(went_well);
  sqlite.exec("DROP TRIGGER full");
  nights.check(day);
  CHECK(regression_of(nights, id).standing == model::Standing::recovered);
  REQUIRE(stores.improvements.ending_of(id).value());
  CHECK_FALSE(stores.reports.list("fake", 9).value().front().open);
}

}  // namespace tbci::break_endings_test
