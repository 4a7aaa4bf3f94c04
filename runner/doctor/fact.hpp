// A fact of the environment, for the checks.
#pragma once

#include <string>

#include "runner/doctor.hpp"

namespace tbci::runner {

/// Empty where it is not known.
std::string fact(const MachineFacts& facts, const std::string& name);

}  // namespace tbci::runner
