// The sections of regressions, of the nights that found them, and of their deliveries. Internal to web/pages.
#pragma once

#include <vector>

#include "web/pages/html.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

Html regressions_section(const queries::RegressionsView& regressions, Markup title);
Html nights_section(const queries::PageView& page);
Html deliveries_section(const std::vector<queries::ReportView>& reports);

/// A commit as an item of a list.
Html commit_html(const model::Commit& commit);

}  // namespace tbci::web
