#include "daemon/cli/table.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::daemon {

namespace {

// The number of characters: counts the bytes that begin one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  TBCI_ASSERT(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = one_line(cell, 120);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  if (rows_.empty()) return {};
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  const auto line = [&](const auto& cell_of) {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - width_of(cell), ' ');
      out += (i > 0 ? "  " : "") + (columns_[i].align == Align::right ? padding + cell : cell + padding);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  };
  line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
  return text;
}

}  // namespace tbci::daemon
