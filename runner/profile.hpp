// Parses the profile that a worker prints for one case. Pure; accepts hostile input.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "storage/model/profile.hpp"

namespace tbci::runner {

/// PyTorch has about 3000 operators; a profile with more than this is invalid.
inline constexpr std::size_t most_profiled_operators = 4096;

/// The output of `tbci-worker profile` for `expected`, the case under the worker's own name for it. Leaves `started`
/// empty. Errors (failed): the worker's own error line, or what violates the protocol.
Result<model::OperatorProfile> parse_profile(std::string_view output, const model::Case& expected);

}  // namespace tbci::runner
