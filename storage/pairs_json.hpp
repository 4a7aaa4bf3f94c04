// Internal to storage: pairs of values as JSON, `[[1.5,1.6],[1.4,1.7]]`, as a column holds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/words.hpp"

namespace tbci::storage {

/// Asserts that every value is finite.
std::string to_json(const std::vector<model::ValuePair>& pairs);
Result<std::vector<model::ValuePair>> pairs_from_json(std::string_view text);

}  // namespace tbci::storage
