// The plot of a series over the last nights, and its numbers. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

/// Of `facts.history`: a chart that GitHub draws (Mermaid; pictures in SVG it does not show), with the same numbers in
/// a folded table. Empty for fewer than two nights.
std::string history_section(const ReportFacts& facts);

}  // namespace tbci::github
