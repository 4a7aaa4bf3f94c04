#include "detect/threshold_table.hpp"

#include <algorithm>

namespace tbci::detect {

bool SeriesPattern::matches(const model::Series& series) const {
  return (!benchmark || *benchmark == series.benchmark) &&
         (!configuration || model::covers(*configuration, series.configuration)) &&
         (!metric || *metric == series.metric);
}

Thresholds changed(Thresholds before, const ThresholdChange& change) {
  if (change.relative) {
    before.screen *= *change.relative / before.relative;
    before.relative = *change.relative;
  }
  before.screen = change.screen.value_or(before.screen);
  before.memory_floor_bytes = change.memory_floor_bytes.value_or(before.memory_floor_bytes);
  before.leak_floor_bytes = change.leak_floor_bytes.value_or(before.leak_floor_bytes);
  if (change.first_pairs) before.first_pairs = before.memory_first_pairs = *change.first_pairs;
  if (change.most_pairs) before.most_pairs = before.memory_most_pairs = *change.most_pairs;
  return before;
}

Thresholds ThresholdTable::for_series(const model::Series& series) const {
  Thresholds thresholds = base;
  for (const ThresholdOverride& one : overrides) {
    if (one.pattern.matches(series)) thresholds = changed(thresholds, one.change);
  }
  thresholds.screen = std::min(thresholds.screen, thresholds.relative);
  thresholds.first_pairs = std::min(thresholds.first_pairs, thresholds.most_pairs);
  thresholds.memory_first_pairs = std::min(thresholds.memory_first_pairs, thresholds.memory_most_pairs);
  return thresholds;
}

}  // namespace tbci::detect
