#include "suite/blocks/tiers/row_cache.hpp"

#include <string>
#include <utility>

namespace tbci::suite {
namespace {

constexpr std::int32_t not_cached = -1, coming = -2;

}  // namespace

RowCache::RowCache(const std::vector<std::int64_t>& rows, std::int64_t slots) : kept_(static_cast<std::size_t>(slots)) {
  for (const std::int64_t count : rows) slot_of_.emplace_back(static_cast<std::size_t>(count), not_cached);
}

void RowCache::move_to_front(std::int64_t slot) {
  const auto at = static_cast<std::int32_t>(slot);
  if (at == most_recent_) return;
  Kept& kept = kept_[static_cast<std::size_t>(slot)];
  if (kept.more_recent >= 0) kept_[static_cast<std::size_t>(kept.more_recent)].less_recent = kept.less_recent;
  if (kept.less_recent >= 0) kept_[static_cast<std::size_t>(kept.less_recent)].more_recent = kept.more_recent;
  if (at == least_recent_) least_recent_ = kept.more_recent;
  kept.more_recent = -1;
  kept.less_recent = most_recent_;
  if (most_recent_ >= 0) kept_[static_cast<std::size_t>(most_recent_)].more_recent = at;
  most_recent_ = at;
  if (least_recent_ < 0) least_recent_ = at;
}

std::int64_t RowCache::put(const CachedRow& row) {
  if (free_slots() == 0) throw CacheTooSmall("the row cache is full");
  const std::int64_t slot = used_++;
  kept_[static_cast<std::size_t>(slot)].row = row;
  slot_of_[row.table][static_cast<std::size_t>(row.row)] = static_cast<std::int32_t>(slot);
  move_to_front(slot);
  return slot;
}

std::vector<RowInSlot> RowCache::take_changed() {
  std::vector<RowInSlot> changed;
  for (std::int64_t slot = 0; slot < used_; ++slot) {
    Kept& kept = kept_[static_cast<std::size_t>(slot)];
    if (std::exchange(kept.changed, false)) changed.push_back({kept.row, slot});
  }
  return changed;
}

std::int64_t RowCache::free_slot(bool keep_last, std::vector<RowInSlot>& written_back) {
  if (used_ < slots()) return used_++;
  const std::int64_t slot = least_recent_;
  if (slot < 0) throw CacheTooSmall("it holds no row at all");
  Kept& kept = kept_[static_cast<std::size_t>(slot)];
  if (kept.batch == batch_ || (keep_last && kept.batch == batch_ - 1)) {
    throw CacheTooSmall("it holds " + std::to_string(slots()) + " rows, fewer than " +
                        (keep_last ? "a batch and the next one ask for" : "a batch asks for"));
  }
  if (kept.changed) written_back.push_back({kept.row, slot});
  kept.changed = false;
  slot_of_[kept.row.table][static_cast<std::size_t>(kept.row.row)] = not_cached;
  return slot;
}

void RowCache::note_rows_in_cache(std::size_t table, const std::vector<std::int64_t>& rows, bool changes,
                                  CacheStep& step, std::vector<CachedRow>& missing) {
  for (const std::int64_t row : rows) {
    std::int32_t& slot = slot_of_[table][static_cast<std::size_t>(row)];
    if (slot == coming) continue;
    if (slot == not_cached) {
      slot = coming;
      missing.push_back({table, row});
      ++step.unique_rows[table];
      ++step.misses[table];
      continue;
    }
    Kept& kept = kept_[static_cast<std::size_t>(slot)];
    if (kept.batch == batch_) continue;
    kept.batch = batch_;
    kept.changed = kept.changed || changes;
    ++step.unique_rows[table];
    move_to_front(slot);
  }
}

CacheStep RowCache::step(const std::vector<std::vector<std::int64_t>>& lookups, bool changes, bool keep_last) {
  ++batch_;
  CacheStep step;
  step.slots.resize(lookups.size());
  step.unique_rows.assign(lookups.size(), 0);
  step.misses.assign(lookups.size(), 0);
  std::vector<CachedRow> missing;
  for (std::size_t table = 0; table < lookups.size(); ++table)
    note_rows_in_cache(table, lookups[table], changes, step, missing);
  for (const CachedRow& row : missing) {
    const std::int64_t slot = free_slot(keep_last, step.written_back);
    Kept& kept = kept_[static_cast<std::size_t>(slot)];
    kept.row = row;
    kept.changed = changes;
    kept.batch = batch_;
    slot_of_[row.table][static_cast<std::size_t>(row.row)] = static_cast<std::int32_t>(slot);
    move_to_front(slot);
    step.read.push_back({row, slot});
  }
  for (std::size_t table = 0; table < lookups.size(); ++table) {
    step.slots[table].reserve(lookups[table].size());
    for (const std::int64_t row : lookups[table])
      step.slots[table].push_back(slot_of_[table][static_cast<std::size_t>(row)]);
  }
  return step;
}

}  // namespace tbci::suite
