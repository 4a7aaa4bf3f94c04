// The section of what became better. Internal to web/pages.
#pragma once

#include <vector>

#include "web/pages/html.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

/// Empty without any.
Html improvements_section(const std::vector<queries::ImprovementView>& improvements);

}  // namespace tbci::web
