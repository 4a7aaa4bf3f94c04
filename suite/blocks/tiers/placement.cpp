#include "suite/blocks/tiers/placement.hpp"

#include <algorithm>
#include <numeric>

namespace tbci::suite {

Placement place_by_traffic(const std::vector<PlacedTable>& tables, std::int64_t rows_in_memory) {
  std::int64_t all = 0;
  for (const PlacedTable& table : tables) all += table.rows;
  if (all <= rows_in_memory) return {std::vector<bool>(tables.size(), true), 0};

  const auto traffic = [&](std::size_t i) { return tables[i].lookups / static_cast<double>(tables[i].rows); };
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return traffic(a) > traffic(b); });

  Placement placement{std::vector<bool>(tables.size(), false), rows_in_memory};
  for (const std::size_t table : order) {
    const std::int64_t left = placement.cached_rows - tables[table].rows;
    if (left < rows_in_memory / 2) continue;
    placement.in_memory[table] = true;
    placement.cached_rows = left;
  }
  return placement;
}

}  // namespace tbci::suite
