// The section of a report on operators. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

/// The operators whose own time changed at the culprit, at most a dozen; empty without a profile.
std::string operators_section(const ReportFacts& facts);

}  // namespace tbci::github
