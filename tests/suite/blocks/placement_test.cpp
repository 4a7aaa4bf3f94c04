#include "suite/blocks/tiers/placement.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Placement: where all tables fit, all lie in memory and no cache is needed") {
  const Placement placement = place_by_traffic({{100, 1}, {50, 9}}, 150);
  CHECK(placement.in_memory == std::vector<bool>{true, true});
  CHECK(placement.cached_rows == 0);
}

TEST_CASE("Placement: what is asked for most often for its size lies in memory, up to half of it") {
  // Lookups for each row: 0.2, 0.1, 0.05, 0.02.
  const std::vector<PlacedTable> tables = {{500, 10}, {100, 20}, {50, 5}, {200, 20}};
  const Placement placement = place_by_traffic(tables, 400);
  CHECK(placement.in_memory == std::vector<bool>{false, true, true, false});
  CHECK(placement.cached_rows == 250);
}

TEST_CASE("Placement: a table that does not fit leaves the place to a smaller one") {
  const Placement placement = place_by_traffic({{150, 100}, {100, 1}, {1000, 0}}, 200);
  CHECK(placement.in_memory == std::vector<bool>{false, true, false});
  CHECK(placement.cached_rows == 100);
}
