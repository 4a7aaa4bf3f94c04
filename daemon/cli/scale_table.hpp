// How times grow with a size, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/measure/scaling.hpp"

namespace tbci::daemon {

/// A table of the sizes with the law's value, the law of each build, and in words what differs between two.
std::string scale_text(const pipeline::ScaledCase& scaled);
nlohmann::json json_of(const pipeline::ScaledCase& scaled);

}  // namespace tbci::daemon
