#include "series_io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.hpp"

namespace tbci::series_io {

namespace {

/// `"a ""quoted"" cell",...`: takes the cell off the front of `rest`, with the quote before it.
Result<std::string> quoted_cell(std::string_view& rest) {
  std::string cell;
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos)
      return fail(ErrorKind::usage, "a quote is not closed: a cell must end on its line");
    cell += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return cell;
    cell += '"';
    rest.remove_prefix(1);
  }
}

/// Nullopt where the text is not a number.
std::optional<double> number_from(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || (error != std::errc() && error != std::errc::result_out_of_range)) return std::nullopt;
  // A number out of range is too near to 0 or too large; as a measured value both are impossible.
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

Result<std::vector<std::string>> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::string_view rest = row;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string cell;
    const bool quoted = rest.starts_with('"');
    if (quoted) {
      TBCI_ASSIGN(cell, quoted_cell(rest));
    }
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view behind = trim(rest.substr(0, comma));
    if (quoted && !behind.empty())
      return fail(ErrorKind::usage, "'{}' follows a quoted cell: write a quote inside a cell twice",
                  one_line(behind, 40));
    cells.push_back(quoted ? std::move(cell) : std::string(behind));
    if (comma == rest.size()) return cells;
    rest.remove_prefix(comma + 1);
  }
}

Result<CsvTable> CsvTable::with_header(std::string_view row, const std::optional<Unit>& unit, const Limits& limits) {
  TBCI_ASSIGN(const auto cells, cells_of(row));
  if (cells.size() < 2) {
    return fail(ErrorKind::usage, "the header names no series: write time,series1,series2,... with commas between");
  }
  CsvTable table(limits);
  std::set<std::string> names;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    Column column;
    column.name = cells[i];
    if (column.name.empty()) return fail(ErrorKind::usage, "column {} has no name", i + 1);
    if (column.name.size() > limits.text_bytes)
      return fail(ErrorKind::usage, "the name of column {} is longer than {} bytes", i + 1, limits.text_bytes);
    if (!names.insert(column.name).second)
      return fail(ErrorKind::usage, "two columns are named '{}': rename one", one_line(column.name, 80));
    auto metric = metric_of(column.name, "", unit ? &*unit : nullptr);
    if (!metric) return fail(metric.error(), "column '" + one_line(column.name, 80) + "'");
    column.metric = *metric;
    column.unit = unit.value_or(unit_of(column.metric));
    table.columns_.push_back(std::move(column));
  }
  return table;
}

Status CsvTable::add(std::string_view row) {
  TBCI_ASSIGN(auto cells, cells_of(row));
  if (cells.size() != columns_.size() + 1) {
    return fail(ErrorKind::usage, "{} cells, but the header has {}: the row is left out{}", cells.size(),
                columns_.size() + 1, cells.size() <= columns_.size() ? " (was the file cut off?)" : "");
  }
  if (labels_.size() == limits_.nights || (labels_.size() + 1) * columns_.size() > limits_.cells)
    return fail(ErrorKind::usage, "the table is too large (more than {} rows or {} cells): split it", limits_.nights,
                limits_.cells);
  std::vector<std::optional<double>> values;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& cell = cells[i + 1];
    values.push_back(number_from(cell));
    if (!cell.empty() && !values.back())
      return fail(ErrorKind::usage, "'{}' in column '{}' is not a number: the row is left out", one_line(cell, 40),
                  one_line(columns_[i].name, 80));
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].values.push_back(values[i].value_or(0));
    columns_[i].present.push_back(values[i].has_value());
  }
  cells.front().resize(std::min(cells.front().size(), limits_.text_bytes));
  labels_.push_back(std::move(cells.front()));
  return {};
}

Record CsvTable::record(std::size_t series) const {
  const Column& column = columns_.at(series);
  Nights nights;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    NightValue night;
    night.build = labels_[i];
    if (!column.present[i]) {
      night.reason = "no value";
    } else if (const std::string why = why_unusable(column.metric, column.values[i]); !why.empty()) {
      night.reason = "its value is impossible: " + why;
      night.is_problem = true;
    } else {
      night.value = column.values[i];
    }
    nights.push_back(std::move(night));
  }
  return {.series = column.name, .unit = column.unit, .metric = column.metric, .data = std::move(nights)};
}

}  // namespace tbci::series_io
