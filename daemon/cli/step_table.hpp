// What the step between two builds consists of, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "storage/model/step_split.hpp"

namespace tbci::daemon {

/// A line on the iteration, the cause as a sentence, then a table of the parts, whose last line is the rest.
std::string text_of(const model::StepSplit& step);
nlohmann::json json_of(const model::StepSplit& step);

}  // namespace tbci::daemon
