// Which tables lie in memory, and how many rows of the others a cache holds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tbci::suite {

struct PlacedTable {
  std::int64_t rows = 0;
  double lookups = 0;     // a sample
  std::string name = {};  // for messages; empty: its number
};

struct Placement {
  std::vector<bool> in_memory;  // by table
  std::int64_t cached_rows = 0;
};

// By traffic for each byte, as MTrainS places tables: the tables that are asked for most often for their size lie in
// memory, up to half of what there is; the cache of the others' rows has the rest. All of them where they fit. Rows of
// all tables are equally long.
Placement place_by_traffic(const std::vector<PlacedTable>& tables, std::int64_t rows_in_memory);

}  // namespace tbci::suite
