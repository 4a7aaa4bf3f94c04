// Which operators changed, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "storage/model/profile.hpp"

namespace tbci::daemon {

/// A line on the iteration, then a table of the operators that changed.
std::string text_of(const model::OperatorComparison& compared);
nlohmann::json json_of(const model::OperatorComparison& compared);

}  // namespace tbci::daemon
