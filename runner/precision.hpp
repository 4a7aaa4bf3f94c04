// The names of the precisions that a worker may support (docs/precision.md).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::runner {

inline constexpr std::string_view default_precision = "fp32";
inline constexpr std::array<std::string_view, 6> all_precisions = {"fp32", "pytorch", "tf32", "fp16", "bf16", "amp"};

/// The text if it is one of them. Error (usage) with the nearest name.
Result<std::string> precision_from(std::string_view text);

}  // namespace tbci::runner
