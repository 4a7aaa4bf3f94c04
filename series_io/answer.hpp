// What is said of one series of a file. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detect/change_points.hpp"
#include "detect/thresholds.hpp"
#include "series_io/record.hpp"

namespace tbci::series_io {

struct Questions {
  detect::Thresholds thresholds;
  detect::ChangePointOptions change_points;
};

struct Answer {
  std::string line;                   ///< JSON, without a newline
  std::vector<std::string> problems;  ///< values that can't be true, each with where it stands and what becomes of it
  bool regression = false;
};

/// A history is answered by a screen verdict for each night and its change points; pairs by the verdict of
/// `detect::confirm`, with `more` while it wants more of them. Values (`before`, `after`) are in the series' own unit,
/// changes are fractions, what is no finite number is null. Change points need values above 0: a leak that has others
/// gets none, and `note` says so.
Answer answer_of(const Record& record, const Questions& questions);

/// `{"line": 17, "error": "..."}`: stands where the answer of a faulty line would.
std::string error_line(std::size_t number, const std::string& error);

}  // namespace tbci::series_io
