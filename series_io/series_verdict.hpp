// The verdict on one series of a file. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detect/change_points.hpp"
#include "detect/thresholds.hpp"
#include "series_io/record.hpp"

namespace tbci::series_io {

struct VerdictSettings {
  detect::Thresholds thresholds;
  detect::ChangePointOptions change_points;
};

struct SeriesVerdict {
  std::string line;                   ///< JSON, without a newline
  std::vector<std::string> problems;  ///< impossible values: where each is, and what happens with it
  bool regression = false;
};

/// For a history: the screen verdict of each night, and the change points. For pairs: the verdict of
/// `detect::confirm`, or `more` while it needs more pairs. Values (`before`, `after`) are in the unit of the series,
/// changes are fractions, and a number that is not finite is null. Change points need values above 0: a leak with other
/// values has none, and `note` says so.
SeriesVerdict series_verdict(const Record& record, const VerdictSettings& settings);

/// `{"line": 17, "error": "..."}`: takes the place of the verdict of a faulty line.
std::string error_line(std::size_t number, const std::string& error);

}  // namespace tbci::series_io
