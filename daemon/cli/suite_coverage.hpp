// The answer of `tbci suite coverage`: which operators a suite reaches.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runner/coverage.hpp"

namespace tbci::daemon {

std::string coverage_text(const runner::Coverage& coverage);
nlohmann::json coverage_json(const runner::Coverage& coverage);

}  // namespace tbci::daemon
