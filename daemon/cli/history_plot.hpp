// A series over the nights, as a text plot. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "web/queries/history.hpp"

namespace tbci::daemon {

struct PlotSize {
  std::size_t columns = 78;  ///< of the whole drawing
  std::size_t rows = 12;     ///< of its field
};

/// Points (`o`) over levels (`-`), and below them one line for each kind of mark: `^` a change point, `R` a regression,
/// `M` a change of the machine. Several nights share a column if there are more nights than columns. The view must have
/// at least one night.
std::string plot_of(const web::queries::HistoryView& view, const PlotSize& size = {});

/// A table that explains the marks, in the order of the nights; empty if there are none.
std::string marks_table(const web::queries::HistoryView& view);
/// A table of all nights.
std::string nights_table(const web::queries::HistoryView& view);

}  // namespace tbci::daemon
