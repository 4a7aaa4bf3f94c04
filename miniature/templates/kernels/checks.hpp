#pragma once

#include <cstdint>

/// Small checks that every kernel may use. They know nothing of tensors.
namespace miniature {

/// The most dimensions a tensor may have here.
inline constexpr std::int64_t kMostDimensions = 8;

/// True when 0 <= value < limit.
bool in_range(std::int64_t value, std::int64_t limit) noexcept;

/// How many of the first `count` values are not a number.
std::int64_t count_nan(const float* values, std::int64_t count) noexcept;

}  // namespace miniature
