// The section of a night: its verdicts, series by series. Internal to web/pages.
#pragma once

#include "web/pages/html.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

Html night_section(const queries::PageView& page);

}  // namespace tbci::web
