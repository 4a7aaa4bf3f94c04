// Which rows of which tables are in a cache, and which leave it for others: the least recently used. It holds no rows
// itself: a slot is a place for one.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tbci::suite {

struct CachedRow {
  std::size_t table = 0;
  std::int64_t row = 0;

  bool operator==(const CachedRow& other) const { return table == other.table && row == other.row; }
};

struct RowInSlot {
  CachedRow row;
  std::int64_t slot = 0;
};

// What one batch asks of the cache.
struct CacheStep {
  std::vector<RowInSlot> written_back;            // leave their slots, and were changed
  std::vector<RowInSlot> read;                    // come into theirs
  std::vector<std::vector<std::int64_t>> slots;   // by table: of each lookup
  std::vector<std::int64_t> unique_rows, misses;  // by table
};

class CacheTooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RowCache {
 public:
  // `rows` of each table: four bytes are kept for each of them, so that a row is found at once.
  RowCache(const std::vector<std::int64_t>& rows, std::int64_t slots);

  // Puts a row into a free slot, as the most recently used one.
  std::int64_t put(const CachedRow& row);

  // The changed rows, which then count as unchanged: they are written back.
  std::vector<RowInSlot> take_changed();

  std::int64_t slots() const { return static_cast<std::int64_t>(kept_.size()); }
  std::int64_t free_slots() const { return slots() - used_; }

  // First all rows of the batch that are there become the most recently used, in the order of the lookups (table by
  // table); then the others come in, in that order. Each row of the batch counts as changed where `changes`. `lookups`
  // has the rows of each table, no rows for a table that is not cached. `keep_last`: the rows of the batch before may
  // not leave, as they are in use. Throws CacheTooSmall.
  CacheStep step(const std::vector<std::vector<std::int64_t>>& lookups, bool changes, bool keep_last);

 private:
  void move_to_front(std::int64_t slot);
  std::int64_t free_slot(bool keep_last, std::vector<RowInSlot>& written_back);
  void note_rows_in_cache(std::size_t table, const std::vector<std::int64_t>& rows, bool changes, CacheStep& step,
                          std::vector<CachedRow>& missing);

  struct Kept {
    CachedRow row;
    bool changed = false;
    std::int64_t batch = -1;                          // the last one that asked for it
    std::int32_t more_recent = -1, less_recent = -1;  // slots; below 0: none
  };
  std::vector<std::vector<std::int32_t>> slot_of_;  // by table and row; below 0: not there
  std::vector<Kept> kept_;                          // by slot
  std::int64_t used_ = 0, batch_ = 0;
  std::int32_t most_recent_ = -1, least_recent_ = -1;
};

}  // namespace tbci::suite
