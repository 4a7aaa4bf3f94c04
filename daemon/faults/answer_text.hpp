// How the answers of `tbci selftest faults` read. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/faults/play.hpp"

namespace tbci::daemon::faults {

/// The table, a line for each night that must file nothing and for each thing that is wrong, and how many are right.
std::string answer_text(const std::vector<FaultAnswer>& answers);
nlohmann::json answer_json(const std::vector<FaultAnswer>& answers);

}  // namespace tbci::daemon::faults
