// Tables on a terminal.
#pragma once

#include <string>
#include <vector>

namespace tbci::daemon {

enum class Align { left, right };

/// Rows of cells; each column is as wide as its widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Each line ends with a newline. Empty for a table without rows.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tbci::daemon
