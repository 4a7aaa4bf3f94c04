// Judges a file of series line by line.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.hpp"
#include "series_io/record.hpp"
#include "series_io/series_verdict.hpp"

namespace tbci::series_io {

enum class Format { json, csv };

struct JudgingPlan {
  Format format = Format::json;
  std::optional<Unit> unit;  ///< for lines without a unit, and for columns
  VerdictSettings settings;
  Limits limits;
};

/// Takes the verdicts and the problems.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A line of JSON, without its newline. Where this returns an error, the work ends with it.
  virtual Status verdict(std::string_view line) = 0;
  /// What is wrong with a line of the input (0: with the whole input), and what to do. For people.
  virtual void problem(std::size_t line, std::string_view text) = 0;
};

struct Summary {
  std::size_t judged = 0;       ///< series
  std::size_t problems = 0;     ///< lines that could not be judged, and impossible values
  std::size_t regressions = 0;  ///< that pairs confirmed
};

/// Each JSON line gives one line of output in the same order: its verdict, or its error. A table of comma-separated
/// values gives the errors of its rows first, and then one line for each series. An input whose first line is not text
/// is not read further. Holds one line of JSON or the whole table, never more than `JudgingPlan::limits`. Errors: those
/// of the sink; `interrupted` where a stop is requested.
Result<Summary> judge_all(std::istream& input, const JudgingPlan& plan, Sink& sink, const std::stop_token& stop);

}  // namespace tbci::series_io
