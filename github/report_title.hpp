// The title of a report. Pure.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// What, how much, since which commit, then where: `dlrm/cpu-train 31% slower (+2 more) since 1a2b3c4d5e (demo,
/// 2026-01-07)`. Of ordinary names the first 60 characters say all but the last two. Plain text of at most
/// longest_title_bytes. `affected` is sorted, worst first.
std::string title_of(const ReportFacts& facts, const std::vector<model::Finding>& affected);

}  // namespace tbci::github
