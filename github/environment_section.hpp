// The machine that measured: what changed on it, and what it is. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

std::string environment_section(const ReportFacts& facts);

}  // namespace tbci::github
