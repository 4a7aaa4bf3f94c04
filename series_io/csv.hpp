// Tables of comma-separated values: a row a night, a column a series. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "series_io/record.hpp"

namespace tbci::series_io {

/// The cells of a row, without the spaces around them and the quotes; a quote in a quoted cell is doubled (RFC 4180). A
/// cell may not go over the end of its line. Error (usage): a quote that is not closed, or text behind one.
Result<std::vector<std::string>> cells_of(std::string_view row);

/// A table that is read row by row and held as numbers.
class CsvTable {
 public:
  /// Of the first row: the names of the series, behind that of the first column. Errors (usage): no series, a column
  /// without a name, a name twice, a name whose metric is not measured in `unit`.
  static Result<CsvTable> with_header(std::string_view row, const std::optional<Unit>& unit, const Limits& limits = {});

  /// A night: its label, then a value a series; an empty cell is a night that was not measured. Values that can't be
  /// true are kept as such. Errors (usage), and the row is left out: another number of cells than the header, a cell
  /// that is not a number, too large a table.
  Status add(std::string_view row);

  std::size_t series() const { return columns_.size(); }
  Record record(std::size_t series) const;

 private:
  struct Column {
    std::string name;
    Unit unit;
    model::Metric metric{};
    std::vector<double> values;
    std::vector<bool> present;
  };
  explicit CsvTable(const Limits& limits) : limits_(limits) {}

  Limits limits_;
  std::vector<Column> columns_;
  std::vector<std::string> labels_;
};

}  // namespace tbci::series_io
