// Regressions as a table on a terminal.
#pragma once

#include <string>

#include "web/queries/queries.hpp"

namespace tbci::daemon {

/// Their numbers, nights, series, changes, states and culprits. Empty where there is none.
std::string table_of(const web::queries::RegressionsView& regressions);

}  // namespace tbci::daemon
