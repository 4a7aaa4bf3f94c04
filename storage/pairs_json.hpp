// Internal to storage: pairs of values as a column, `[[1.5,1.6],[1.4,1.7]]`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/watch.hpp"

namespace tbci::storage {

/// Every value is finite (asserts): what can't be true is no pair.
std::string to_json(const std::vector<model::ValuePair>& pairs);
Result<std::vector<model::ValuePair>> pairs_from_json(std::string_view text);

}  // namespace tbci::storage
