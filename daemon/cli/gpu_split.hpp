// Where the GPU's time goes in `tbci run`, as in Table 2 of the TorchBench paper, and what the GPU was like.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// A table of shares (medians over the processes of each case that were traced), how much longer a traced iteration is,
/// and the clock of the GPU. Empty if no process says any of it.
std::string gpu_split_text(const std::map<model::Case, std::vector<model::Measurement>>& results);

/// Nanoseconds.
nlohmann::json gpu_split_json(const model::GpuSplit& split);

nlohmann::json gpu_load_json(const model::GpuLoad& load);

}  // namespace tbci::daemon
