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

}  // namespace tbci::web
