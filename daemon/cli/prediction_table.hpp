// A batch that was not recorded, as a table and as JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/measure/predicting.hpp"

namespace tbci::daemon {

/// Ends with a newline.
std::string prediction_text(const pipeline::PredictedCase& predicted);
nlohmann::json json_of(const pipeline::PredictedCase& predicted);

}  // namespace tbci::daemon
