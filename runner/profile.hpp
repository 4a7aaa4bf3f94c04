// The profile that a worker tells of one case. Pure; made for hostile input.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "storage/model/profile.hpp"

namespace tbci::runner {

/// PyTorch has some 3000 operators; a worker that names more is not to be believed.
inline constexpr std::size_t most_profiled_operators = 4096;

/// The output of `tbci-worker profile` for `expected`, the case by the name that the worker knows it by. `started` is
/// left empty. Errors (failed): the worker's own error line, or what breaks the protocol.
Result<model::OperatorProfile> parse_profile(std::string_view output, const model::Case& expected);

}  // namespace tbci::runner
