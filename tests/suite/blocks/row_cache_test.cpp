#include "suite/blocks/tiers/row_cache.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

using Lookups = std::vector<std::vector<std::int64_t>>;

// The same policy with a list that is searched: the front is the row that was used last.
class SlowCache {
 public:
  explicit SlowCache(std::size_t rows) : rows_(rows) {}

  struct Step {
    std::vector<std::int64_t> hits, misses;
    std::vector<CachedRow> written_back;
  };

  Step step(const Lookups& lookups, bool changes) {
    Step step;
    std::vector<CachedRow> missing, seen;
    for (std::size_t table = 0; table < lookups.size(); ++table) {
      step.hits.push_back(0);
      step.misses.push_back(0);
      for (const std::int64_t row : lookups[table]) {
        const CachedRow asked{table, row};
        if (std::find(seen.begin(), seen.end(), asked) != seen.end()) continue;
        seen.push_back(asked);
        const auto found =
            std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.first == asked; });
        if (found == kept_.end()) {
          missing.push_back(asked);
          ++step.misses[table];
          continue;
        }
        ++step.hits[table];
        const bool changed = found->second || changes;
        kept_.erase(found);
        kept_.push_front({asked, changed});
      }
    }
    for (const CachedRow& row : missing) {
      if (kept_.size() == rows_) {
        if (kept_.back().second) step.written_back.push_back(kept_.back().first);
        kept_.pop_back();
      }
      kept_.push_front({row, changes});
    }
    return step;
  }

 private:
  std::size_t rows_;
  std::deque<std::pair<CachedRow, bool>> kept_;
};

std::vector<CachedRow> rows_in(const std::vector<RowInSlot>& moved) {
  std::vector<CachedRow> rows;
  for (const RowInSlot& each : moved) rows.push_back(each.row);
  return rows;
}

}  // namespace

TEST_CASE("Row cache: it hits, misses and writes back what a simulation does, and each row has its own slot") {
  constexpr std::int64_t slots = 60;
  for (const bool changes : {true, false}) {
    RowCache cache({100, 40, 300}, slots);
    SlowCache simulation(slots);
    std::mt19937_64 random(11);
    std::int64_t misses = 0;
    for (int batch = 0; batch < 300; ++batch) {
      Lookups lookups(3);
      for (int i = 0; i < 20; ++i) lookups[0].push_back(static_cast<std::int64_t>(random() % 100 * (random() % 2)));
      for (int i = 0; i < 9; ++i) lookups[2].push_back(static_cast<std::int64_t>(random() % 300));
      const CacheStep step = cache.step(lookups, changes, false);
      const SlowCache::Step expected = simulation.step(lookups, changes);
      REQUIRE(step.misses == expected.misses);
      for (std::size_t table = 0; table < 3; ++table)
        REQUIRE(step.unique_rows[table] - step.misses[table] == expected.hits[table]);
      REQUIRE((rows_in(step.written_back) == expected.written_back));
      std::set<std::int64_t> taken;
      std::set<std::pair<std::size_t, std::int64_t>> asked;
      for (std::size_t table = 0; table < 3; ++table) {
        REQUIRE(step.slots[table].size() == lookups[table].size());
        for (std::size_t i = 0; i < lookups[table].size(); ++i) {
          taken.insert(step.slots[table][i]);
          asked.insert({table, lookups[table][i]});
        }
      }
      REQUIRE(taken.size() == asked.size());
      REQUIRE(*taken.rbegin() < slots);
      misses += static_cast<std::int64_t>(step.read.size());
    }
    CHECK(misses > 1000);
    CHECK(cache.take_changed().empty() != changes);
    CHECK(cache.take_changed().empty());
  }
}

TEST_CASE("Row cache: what was put there first leaves first") {
  RowCache cache({10}, 3);
  CHECK(cache.put({0, 4}) == 0);
  CHECK(cache.put({0, 7}) == 1);
  CHECK(cache.free_slots() == 1);
  const CacheStep step = cache.step({{7, 1, 2}}, true, false);
  CHECK(step.slots == Lookups{{1, 2, 0}});
  CHECK(step.written_back.empty());
  CHECK((rows_in(cache.step({{4, 4}}, true, false).written_back) == std::vector<CachedRow>{{0, 7}}));
}

TEST_CASE("Row cache: a batch that does not fit is refused, and so is one beside the batch in use") {
  RowCache cache({10}, 3);
  CHECK_NOTHROW(cache.step({{0, 1}}, true, false));
  CHECK_THROWS_WITH(RowCache(cache).step({{2, 3}}, true, true),
                    "it holds 3 rows, fewer than a batch and the next one ask for");
  CHECK_NOTHROW(RowCache(cache).step({{1, 3}}, true, true));
  CHECK_NOTHROW(RowCache(cache).step({{2, 3}}, true, false));
  CHECK_THROWS_WITH(cache.step({{2, 3, 4, 5}}, true, false), "it holds 3 rows, fewer than a batch asks for");
}
