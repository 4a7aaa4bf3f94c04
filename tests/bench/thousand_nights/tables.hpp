// The judgement for people, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

/// The tables of totals over all seeds, and of each sort of complaint the first `shown`.
std::string text_of(const std::vector<Judgement>& judgements, std::size_t shown);
nlohmann::json json_of(const Judgement& judgement);

}  // namespace tbci::thousand
