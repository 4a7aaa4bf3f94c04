// The first lines of a report: what changed, how much, since when, by whom, how sure that is, and what to do. Pure.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// `affected` is sorted, worst first.
std::string summary_section(const ReportFacts& facts, const std::vector<model::Finding>& affected);
/// The commits that cannot be told apart; empty for one culprit or none.
std::string suspects_section(const ReportFacts& facts);

}  // namespace tbci::github
