// Memory figures of measurements, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// `1.02 KiB/iteration (1.02 to 1.05)`: medians over the processes that looked for leaks; `-` if none did.
std::string growth_text(const std::vector<model::Measurement>& measurements, model::Metric leak);

/// Peaks and growths of one process, named as in the worker protocol. Figures that were not measured are left out.
nlohmann::json memory_json(const model::Measurement& measurement);

}  // namespace tbci::daemon
