// A file of series, answered line by line.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.hpp"
#include "series_io/answer.hpp"
#include "series_io/record.hpp"

namespace tbci::series_io {

enum class Format { json, csv };

struct Plan {
  Format format = Format::json;
  std::optional<Unit> unit;  ///< of lines that name none, and of columns
  Questions questions;
  Limits limits;
};

/// Where answers and problems go.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A line of JSON, without its newline. An error ends the work.
  virtual Status answer(std::string_view line) = 0;
  /// What is wrong with a line of the input (0: with the whole of it), and what to do. For people.
  virtual void problem(std::size_t line, std::string_view text) = 0;
};

struct Summary {
  std::size_t answered = 0;     ///< series
  std::size_t problems = 0;     ///< lines that could not be answered, and values that can't be true
  std::size_t regressions = 0;  ///< that pairs confirmed
};

/// JSON lines are answered one by one, each in its place: a faulty one by its error. A table of comma-separated values
/// is answered once it is read, a line a series, behind the errors of its rows. What begins as no text is given up.
/// Holds one line of JSON or the whole table, never more than `Plan::limits`. Errors: of the sink; `interrupted` where
/// a stop is requested.
Result<Summary> answer_all(std::istream& input, const Plan& plan, Sink& sink, const std::stop_token& stop);

}  // namespace tbci::series_io
