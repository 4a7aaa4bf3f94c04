// The page of one series, made of its history. Pure: equal views, equal pages.
#pragma once

#include <string>
#include <vector>

#include "web/pages/html.hpp"
#include "web/queries/history.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

struct SeriesPage {
  queries::StatusView status;
  queries::HistoryView history;
  std::vector<model::Case> cases;  ///< of the subject that were measured, for links
  int nights = 0;                  ///< how many were asked for
};

/// The whole document.
std::string series_html(const SeriesPage& page);

/// An SVG plot: a point for each night with the range of its processes, the levels, and marks of change points,
/// regressions and changes of the machine. Empty without nights. Internal to web/pages.
Html series_plot(const queries::HistoryView& history);

}  // namespace tbci::web
