// Reads the number that a measuring command printed.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace tbci::runner {

/// `output`: standard output of a command that succeeded. If it contains `sample` lines of the worker protocol
/// (docs/worker-protocol.md), the median of their nanoseconds. Otherwise the last line that is not empty, which must be
/// only a decimal number (`12`, `0.031`, `1.2e-3`). Errors (failed): no such line, a number that is not finite or not
/// above 0 (changes are ratios), an `error` line of the protocol.
Result<double> parse_number_output(std::string_view output);

}  // namespace tbci::runner
