// Why a benchmark is not run as it was asked for.
#pragma once

#include <string>

#include "suite/choice.hpp"
#include "suite/options.hpp"

namespace tbci::suite {

// Empty if the configuration can run, else the reason. `unavailable`: why the device is not there.
std::string why_not(const Choice& choice, const RunOptions& options, const std::string& unavailable);

// Empty if the benchmark can learn in this configuration, else the reason.
std::string why_not_learned(const Choice& choice, const RunOptions& options);

}  // namespace tbci::suite
