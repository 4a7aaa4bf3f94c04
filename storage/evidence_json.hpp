// Evidence as the database keeps it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/evidence.hpp"

namespace tbci::storage {

/// `[["hits","table 3","count",1532.4], ...]`; empty for none.
std::string evidence_to_json(const std::vector<model::Evidence>& evidence);

/// Errors (corrupt) where it is not that.
Result<std::vector<model::Evidence>> evidence_from_json(std::string_view text);

}  // namespace tbci::storage
