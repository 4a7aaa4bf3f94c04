// Tables on a terminal.
#pragma once

#include <string>
#include <vector>

namespace tbci::daemon {

enum class Align { left, right };

/// Lines of cells, in columns as wide as their widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// With a newline after each line. Nothing for a table without rows.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tbci::daemon
