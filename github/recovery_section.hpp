// What a report says of those of its series that recovered. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// A series of a report that recovered. All texts may be hostile.
struct Recovery {
  model::Series series;
  std::string night;                    ///< the first that measured that the regression is gone
  std::vector<model::Commit> commits;   ///< that a search found: one did it; several cannot be told apart. May be empty
  std::optional<model::Commit> revert;  ///< says that it reverts the culprit
};

/// `dlrm (cpu-train), time: gone since nightly ...`, by which commit, and which one reverts the culprit.
std::string recovery_text(const Recovery& recovery);

/// The report with a section in front that names the recoveries, in place of an earlier such section; without
/// recoveries it has none. Its body stays within longest_body_bytes: what does not fit is summed up.
model::Report with_recoveries(model::Report report, const std::vector<Recovery>& recoveries);

/// Whether a body begins with such a section.
bool tells_recoveries(std::string_view body);

}  // namespace tbci::github
