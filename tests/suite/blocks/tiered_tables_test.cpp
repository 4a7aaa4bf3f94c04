#include "suite/blocks/tiers/tiered_tables.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

const TieredShape tiered_shape = {{{4000, 10}, {2000, 40}, {1000, 1}, {100, 8}}, 32, 16};

TieredOptions options_of(double memory, RowAccess access = RowAccess::mapped, bool prefetch = true) {
  return {memory, access, prefetch, true, folder_of_row_files()};
}

std::vector<BatchRows> batches_of(const TieredTables& tables, int count) {
  std::mt19937_64 random(5);
  std::vector<BatchRows> batches;
  for (int i = 0; i < count; ++i) {
    BatchRows rows(tiered_shape.tables.size());
    for (std::size_t table = 0; table < rows.size(); ++table) {
      for (int k = 0; k < static_cast<int>(tiered_shape.tables[table].lookups) * tiered_shape.batch; ++k)
        rows[table].push_back(tables.law(table).draw(random));
    }
    batches.push_back(std::move(rows));
  }
  return batches;
}

// Some steps of a model that adds all rows up; gives its losses.
std::vector<float> train(TieredTables& tables, int steps) {
  const auto batches = batches_of(tables, steps);
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    const auto next = static_cast<std::size_t>(i) + 1;
    const auto ready = tables.take(batches[next - 1], next < batches.size() ? &batches[next] : nullptr);
    torch::Tensor sum;
    for (std::size_t table = 0; table < ready.weights.size(); ++table) {
      const torch::Tensor offsets = torch::zeros({1}, torch::kLong);
      const torch::Tensor bag =
          std::get<0>(torch::embedding_bag(ready.weights[table], ready.indices[table], offsets, false, 0, true));
      sum = sum.defined() ? sum + bag.square().sum() : bag.square().sum();
    }
    sum.backward();
    tables.descend(1e-5);
    losses.push_back(sum.item<float>());
  }
  return losses;
}

std::unique_ptr<TieredTables> tables_with(const TieredOptions& options) {
  torch::manual_seed(3);
  return std::make_unique<TieredTables>(tiered_shape, options);
}

}  // namespace

TEST_CASE("Tiered tables: losses and rows are those of tables in memory, bit for bit") {
  const auto in_memory = tables_with(options_of(1));
  const auto expected = train(*in_memory, 30);
  CHECK(in_memory->cached_rows() == 0);
  REQUIRE(expected.front() != expected.back());
  for (const RowAccess access : {RowAccess::mapped, RowAccess::blocks}) {
    for (const bool prefetch : {true, false}) {
      const auto tiered = tables_with(options_of(0.06, access, prefetch));
      REQUIRE(tiered->cached_rows() > 0);
      CHECK(train(*tiered, 30) == expected);
      tiered->write_back();
      const Tensors rows = tiered->tables();
      for (std::size_t table = 0; table < rows.size(); ++table)
        CHECK(torch::equal(rows[table], in_memory->tables()[table]));
    }
  }
}

TEST_CASE("Tiered tables: hits and bytes are those of a simulation, with and without prefetching") {
  for (const RowAccess access : {RowAccess::mapped, RowAccess::blocks}) {
    for (const bool prefetch : {true, false}) {
      const auto tables = tables_with(options_of(0.06, access, prefetch));
      REQUIRE(tables->in_memory(3));
      const auto batches = batches_of(*tables, 40);
      std::vector<std::int64_t> in_files;
      std::vector<bool> left_out;
      std::vector<LookupLaw> laws;
      for (std::size_t table = 0; table < tiered_shape.tables.size(); ++table) {
        left_out.push_back(tables->in_memory(table));
        in_files.push_back(left_out.back() ? 0 : tiered_shape.tables[table].rows);
        laws.push_back(tables->law(table));
      }
      RowCache cache(in_files, tables->cached_rows());
      auto first = most_frequent_rows(laws, left_out, tables->cached_rows());
      for (auto row = first.rbegin(); row != first.rend(); ++row) cache.put(*row);

      std::vector<TableTraffic> expected(tiered_shape.tables.size());
      const auto blocks = [&](const std::vector<RowInSlot>& moved, std::size_t table) {
        std::set<std::int64_t> touched;
        std::int64_t rows = 0;
        for (const RowInSlot& each : moved) {
          if (each.row.table != table) continue;
          touched.insert(each.row.row / 32);
          ++rows;
        }
        return access == RowAccess::mapped ? rows * 128 : static_cast<std::int64_t>(touched.size()) * 4096;
      };
      for (std::size_t i = 0; i < batches.size(); ++i) {
        tables->take(batches[i], i + 1 < batches.size() ? &batches[i + 1] : nullptr);
        BatchRows asked = batches[i];
        for (std::size_t table = 0; table < asked.size(); ++table) {
          expected[table].lookups += static_cast<std::int64_t>(asked[table].size());
          if (left_out[table]) asked[table].clear();
        }
        const CacheStep step = cache.step(asked, true, false);
        for (std::size_t table = 0; table < asked.size(); ++table) {
          if (left_out[table]) {
            const auto unique = static_cast<std::int64_t>(
                std::set<std::int64_t>(batches[i][table].begin(), batches[i][table].end()).size());
            expected[table].unique_rows += unique;
            expected[table].hits += unique;
            continue;
          }
          expected[table].unique_rows += step.unique_rows[table];
          expected[table].hits += step.unique_rows[table] - step.misses[table];
          expected[table].bytes_written += blocks(step.written_back, table);
          expected[table].bytes_read +=
              blocks(step.read, table) + (access == RowAccess::blocks ? blocks(step.written_back, table) : 0);
        }
      }
      std::int64_t written = 0;
      for (std::size_t table = 0; table < expected.size(); ++table) {
        const TableTraffic& got = tables->traffic()[table];
        INFO("table " << table);
        CHECK(got.lookups == expected[table].lookups);
        CHECK(got.unique_rows == expected[table].unique_rows);
        CHECK(got.hits == expected[table].hits);
        CHECK(got.bytes_read == expected[table].bytes_read);
        CHECK(got.bytes_written == expected[table].bytes_written);
        written += got.bytes_written;
      }
      CHECK(written > 0);
    }
  }
}

TEST_CASE("Tiered tables: a cache that is smaller than a batch is refused with what to do") {
  const auto tables = tables_with(options_of(0.005));
  const auto batches = batches_of(*tables, 1);
  CHECK_THROWS_WITH(tables->take(batches[0], nullptr),
                    "the row cache is too small: it holds 36 rows, fewer than a batch asks for; --set cache takes "
                    "a larger share of the rows, --batch a smaller batch");
}

TEST_CASE("Tiered tables: what goes wrong while rows are brought in is thrown by the next batch") {
  const auto tables = tables_with(options_of(0.25));
  auto batches = batches_of(*tables, 2);
  // More rows than the cache has beside the first batch's.
  for (std::int64_t row = 0; row < 4000; ++row) batches[1][0].push_back(row);
  CHECK_NOTHROW(tables->take(batches[0], &batches[1]));
  CHECK_THROWS_AS(tables->take(batches[1], nullptr), Unsupported);
}

TEST_CASE("Tiered tables: nothing is written back while the next batch's rows come in") {
  const auto tables = tables_with(options_of(0.25));
  const auto batches = batches_of(*tables, 2);
  tables->take(batches[0], &batches[1]);
  CHECK_THROWS_AS(tables->write_back(), std::logic_error);
  tables->take(batches[1], nullptr);
  CHECK_NOTHROW(tables->write_back());
}

TEST_CASE("Tiered tables: the cache begins with the rows that are asked for most often") {
  const std::vector<LookupLaw> laws = {LookupLaw(1000, 2000), LookupLaw(500, 200), LookupLaw(100, 100)};
  const auto rows = most_frequent_rows(laws, {false, false, true}, 400);
  CHECK(rows.size() == 400);
  std::set<std::pair<std::size_t, std::int64_t>> there;
  for (const CachedRow& row : rows) there.insert({row.table, row.row});
  CHECK(there.size() == 400);
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::int64_t number = 0; number < laws[table].popular_rows(); ++number)
      CHECK(there.count({table, laws[table].popular_row(number)}) == 1);
  }
  CHECK(there.count({2, laws[2].popular_row(0)}) == 0);
  // Behind the popular rows the most frequent one comes first.
  const auto rate_of = [&](const CachedRow& row) {
    for (std::int64_t rank = 0; rank < laws[row.table].rows(); ++rank) {
      if (laws[row.table].row_of_rank(rank) == row.row) return laws[row.table].rate_of_rank(rank);
    }
    return 0.0;
  };
  const auto popular = static_cast<std::size_t>(laws[0].popular_rows() + laws[1].popular_rows());
  REQUIRE(rate_of(rows[popular]) > 2 * rate_of(rows.back()));
  for (std::size_t i = popular + 1; i < rows.size(); ++i) CHECK(rate_of(rows[i]) <= rate_of(rows[i - 1]));
  // Of the others, the least rate in the cache is at least the highest rate that is not there.
  double least = 1, highest = 0;
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::int64_t rank = 0; rank < laws[table].rows(); ++rank) {
      const bool in_cache = there.count({table, laws[table].row_of_rank(rank)}) == 1;
      if (!in_cache) highest = std::max(highest, laws[table].rate_of_rank(rank));
    }
  }
  for (const CachedRow& row : {rows[rows.size() - 1], rows[rows.size() - 2]}) {
    for (std::int64_t rank = 0; rank < laws[row.table].rows(); ++rank) {
      if (laws[row.table].row_of_rank(rank) == row.row) least = std::min(least, laws[row.table].rate_of_rank(rank));
    }
  }
  CHECK(least >= highest);
}
