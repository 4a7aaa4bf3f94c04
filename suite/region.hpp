// A stretch of an iteration that a profile of operators cannot name: a model marks it, and a timeline has it.
#pragma once

#include <cstring>

#include <ATen/record_function.h>

namespace tbci::suite {

// Bringing in rows from a slower memory, and waiting for them.
inline constexpr const char* tier_region = "tbci:tier";

// For as long as it lives. It costs some nanoseconds where nothing is recorded.
class Region {
 public:
  explicit Region(const char* name) : function_(at::RecordScope::USER_SCOPE) {
    if (function_.isActive()) function_.before(name);
  }

 private:
  at::RecordFunction function_;
};

// Others mark stretches as well.
inline bool is_region(const at::RecordFunction& function) {
  return function.scope() == at::RecordScope::USER_SCOPE && std::strncmp(function.name(), "tbci:", 5) == 0;
}

}  // namespace tbci::suite
