// Backends side by side, as text for a terminal and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/measure/backend_comparison.hpp"

namespace tbci::daemon {

/// A row for each case with eager's time and for each backend the ratio of the time with its interval, the ratio of
/// the memory, the time to compile and how many first iterations were slower; then the means; then what did not run,
/// and why.
std::string text_of(const std::vector<pipeline::ComparedBackends>& compared);

nlohmann::json json_of(const std::string& build, const std::vector<pipeline::ComparedBackends>& compared);

}  // namespace tbci::daemon
