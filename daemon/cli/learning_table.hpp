// How losses fall with a size, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/measure/learning.hpp"

namespace tbci::daemon {

/// A table of the sizes with the law's value, the law of each build beside the entropy, what a doubling returns, and in
/// words whether the newer build learns worse.
std::string learning_text(const pipeline::LearningCase& scaled);
nlohmann::json json_of(const pipeline::LearningCase& scaled);

}  // namespace tbci::daemon
