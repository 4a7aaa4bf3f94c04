// What measurements say of memory, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// `1.02 KiB/iteration (1.02 to 1.05)`: the medians over the processes that looked for leaks; `-`: none did.
std::string growth_text(const std::vector<model::Measurement>& measurements, model::Metric leak);

/// Peaks and growths of one process, by the names of the worker protocol; what was not measured is left out.
nlohmann::json memory_json(const model::Measurement& measurement);

}  // namespace tbci::daemon
