// The plot of a series over the nights. Pure. Internal to web/pages.
#pragma once

#include "web/pages/html.hpp"
#include "web/queries/history.hpp"

namespace tbci::web {

/// An SVG plot: a point for each night with the range of its processes, the levels, and marks of change points,
/// regressions and changes of the machine. Empty without nights.
Html series_plot(const queries::HistoryView& history);

}  // namespace tbci::web
