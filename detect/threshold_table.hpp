// Thresholds for each series: those of all, and what differs for some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detect/thresholds.hpp"
#include "storage/model/words.hpp"

namespace tbci::detect {

/// Which series: those that are alike in all that is given.
struct SeriesPattern {
  std::optional<std::string> benchmark;  ///< its whole name
  std::optional<model::Configuration> configuration;
  std::optional<model::Metric> metric;
  bool matches(const model::Series& series) const;
};

/// What differs from the thresholds before it; what is not given stays.
struct ThresholdChange {
  std::optional<double> relative;
  std::optional<double> screen;  ///< not given beside `relative`: moves in proportion, so that it hides nothing
  std::optional<double> memory_floor_bytes, leak_floor_bytes;
  std::optional<int> first_pairs, most_pairs;
};

struct ThresholdOverride {
  SeriesPattern pattern;
  ThresholdChange change;
};

struct ThresholdTable {
  Thresholds base;
  std::vector<ThresholdOverride> overrides;  ///< laid over the base in this order: a later one wins

  /// `screen` is never above `relative`, nor `first_pairs` above `most_pairs`, whatever was laid over what.
  Thresholds for_series(const model::Series& series) const;
};

/// `before` with the change laid over it.
Thresholds changed(Thresholds before, const ThresholdChange& change);

}  // namespace tbci::detect
