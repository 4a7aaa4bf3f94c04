// Two builds side by side: a loose screen over everything, then a strict confirmation of what it suspects.
#pragma once

#include <string>
#include <vector>

#include "daemon/pipeline/desk.hpp"
#include "daemon/pipeline/measuring.hpp"
#include "storage/model/night.hpp"

namespace tbci::daemon {

struct ComparisonPlan {
  std::string key;  ///< of its runs: `2026-01-07` makes `2026-01-07/screen` and `2026-01-07/confirm`
  Comparison builds;
  std::vector<model::Case> cases;
};

/// Measures every case on both builds, interleaved, in several fresh processes each, and holds each series against the
/// screen's threshold. One finding a series that has numbers; a case that stopped working is inconclusive with the
/// reason. A case that fails costs its own measurements alone.
Result<std::vector<model::Finding>> screen_builds(Desk& desk, const ComparisonPlan& plan);

/// Decides each suspect by fresh interleaved pairs, the worst first. One finding for each suspect.
Result<std::vector<model::Finding>> confirm_suspects(Desk& desk, const ComparisonPlan& plan,
                                                     const std::vector<model::Finding>& screened);

/// The findings of the screen with those that were confirmed in their places.
std::vector<model::Finding> merged(std::vector<model::Finding> screened, const std::vector<model::Finding>& confirmed);

}  // namespace tbci::daemon
