#include <map>
#include <set>

#include "suite/blocks/tiers/lookup_law.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

struct Table {
  std::int64_t rows, lookups;
};

struct Asked {
  double times_a_row = 0, once = 0;
};

Asked asked_of(const std::vector<Table>& tables, int batches) {
  std::mt19937_64 random(7);
  double all = 0, unique = 0, once = 0;
  for (const Table& table : tables) {
    const LookupLaw law(table.rows, table.lookups);
    for (int batch = 0; batch < batches; ++batch) {
      std::map<std::int64_t, int> times;
      for (std::int64_t i = 0; i < table.lookups; ++i) ++times[law.draw(random)];
      all += static_cast<double>(table.lookups);
      unique += static_cast<double>(times.size());
      for (const auto& [row, count] : times) once += count == 1;
    }
  }
  return {all / unique, once / unique};
}

// As dlrm_tiered has them: of uneven size, one in three asked for often and one seldom.
std::vector<Table> tables_of(std::int64_t count, std::int64_t largest, std::int64_t lookups) {
  std::vector<Table> tables;
  for (std::int64_t i = 0; i < count; ++i)
    tables.push_back({largest / (i + 1), lookups * (i % 3 == 0 ? 10 : i % 3 == 1 ? 16 : 4) / 10});
  return tables;
}

}  // namespace

TEST_CASE("Lookup law: a row is asked for as often as Meta published, and as many rows once") {
  for (const Asked& asked : {asked_of(tables_of(8, 131072, 25 * 256), 10), asked_of(tables_of(8, 131072, 25 * 512), 10),
                             asked_of(tables_of(26, 2000000, 20 * 2048), 1)}) {
    CHECK(asked.times_a_row == tbci::test::Approx(12.7).epsilon(0.05));
    CHECK(asked.once == tbci::test::Approx(0.34).epsilon(0.05));
  }
}

TEST_CASE("Lookup law: each rank has a row of its own, and rates of the ranks add up to one lookup of forty") {
  for (const std::int64_t rows : {1, 2, 17, 4096, 10007}) {
    const LookupLaw law(rows, 1000);
    std::set<std::int64_t> seen;
    double rates = 0;
    for (std::int64_t rank = 0; rank < rows; ++rank) {
      seen.insert(law.row_of_rank(rank));
      rates += law.rate_of_rank(rank);
      if (rank > 0) CHECK(law.rate_of_rank(rank) <= law.rate_of_rank(rank - 1));
    }
    CHECK(seen.size() == static_cast<std::size_t>(rows));
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == rows - 1);
    CHECK(rates == tbci::test::Approx(24.4));
  }
}

TEST_CASE("Lookup law: popular rows are asked for by Zipf's law") {
  const LookupLaw law(100000, 6400);
  CHECK(law.popular_rows() == 358);
  std::mt19937_64 random(3);
  std::map<std::int64_t, double> times;
  for (int i = 0; i < 400000; ++i) ++times[law.draw(random)];
  for (const int number : {1, 3, 9}) {
    INFO(number);
    CHECK(times[law.popular_row(0)] / times[law.popular_row(number)] == tbci::test::Approx(number + 1).epsilon(0.05));
  }
}
