// How a report's regression was found, and what was ruled out on the way. Pure.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// `affected` is sorted, worst first.
std::string search_section(const ReportFacts& facts, const std::vector<model::Finding>& affected);

}  // namespace tbci::github
