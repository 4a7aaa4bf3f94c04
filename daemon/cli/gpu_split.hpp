// How `tbci run` shows where the GPU's time goes, as Table 2 of the TorchBench paper does.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::daemon {

using CaseMeasurements = std::map<model::Case, std::vector<model::Measurement>>;

/// A table of shares, of the medians of each case's processes. Empty where nothing was traced.
std::string gpu_split_text(const CaseMeasurements& results);

/// Nanoseconds.
nlohmann::json gpu_split_json(const model::GpuSplit& split);

}  // namespace tbci::daemon
