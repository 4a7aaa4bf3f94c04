#include "checks.hpp"

namespace miniature {

bool in_range(std::int64_t value, std::int64_t limit) noexcept {
  return value >= 0 && value < limit;
}

std::int64_t count_nan(const float* values, std::int64_t count) noexcept {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] != values[i]) ++found;
  }
  return found;
}

}  // namespace miniature
