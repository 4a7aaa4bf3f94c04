// A series over the nights, drawn with characters. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "web/queries/history.hpp"

namespace tbci::daemon {

struct PlotSize {
  std::size_t columns = 78;  ///< of the whole drawing
  std::size_t rows = 12;     ///< of its field
};

/// Points (`o`) over levels (`-`), and below them a line for each kind of mark that there is: `^` a change point, `R` a
/// regression, `M` a change of the machine. Several nights share a column where there are more of them than columns. At
/// least one night.
std::string plot_of(const web::queries::HistoryView& view, const PlotSize& size = {});

/// What the marks stand for, a row each, by night; nothing where there are none.
std::string marks_table(const web::queries::HistoryView& view);
/// All nights, a row each.
std::string nights_table(const web::queries::HistoryView& view);

}  // namespace tbci::daemon
