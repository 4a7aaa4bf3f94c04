// Runners side by side, as text for a terminal and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/measure/runner_comparison.hpp"

namespace tbci::daemon {

/// A row for each case with the first runner's time and for each other one the ratios with the interval of the time;
/// then the means, the peaks of all, how the environments differ, and what has no number, and why.
std::string text_of(const pipeline::RunnerComparison& comparison);

nlohmann::json json_of(const std::string& build, const pipeline::RunnerComparison& comparison);

}  // namespace tbci::daemon
