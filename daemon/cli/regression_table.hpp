// Regressions as a table on a terminal.
#pragma once

#include <string>

#include "web/queries/queries.hpp"

namespace tbci::daemon {

/// Their numbers, nights, series, changes, states, culprits and what ended them. Empty if there are no regressions.
std::string table_of(const web::queries::RegressionsView& regressions);

/// A line for each series that became better.
std::string improvement_lines(const std::vector<web::queries::ImprovementView>& improvements);

}  // namespace tbci::daemon
