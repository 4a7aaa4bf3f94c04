// How to see the regression again, from nothing, and what exactly was compared. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

/// The lines for a shell that install both nightlies, where an index has them, and the command that compares them.
std::string reproduction_section(const ReportFacts& facts);

/// Versions, commits and digests of both builds, folded; empty where neither is known.
std::string builds_section(const ReportFacts& facts);

}  // namespace tbci::github
