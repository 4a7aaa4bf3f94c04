// Internal to storage/model: the names of an enumeration's values, as the database and JSON have them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace tbci::model {

template <typename Enum>
using Names = std::vector<std::pair<Enum, std::string_view>>;

template <typename Enum>
std::string_view name_of(Enum value, const Names<Enum>& names) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  TBCI_ASSERT(false);
}

/// Error (failed) for a name that none of them has; `kind` says what they are.
template <typename Enum>
Result<Enum> value_of_name(std::string_view text, const Names<Enum>& names, std::string_view kind) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return fail(ErrorKind::failed, "unknown {} '{}'", kind, one_line(text, 60));
}

}  // namespace tbci::model
