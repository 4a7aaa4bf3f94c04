// What a model that keeps embedding tables in files offers to choose.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "suite/blocks/tiers/row_file.hpp"
#include "suite/model_choices.hpp"

namespace tbci::suite {

// `shares`: such as "1/8"; the first one is measured where nothing is set.
inline ModelChoice cache_choice(std::vector<std::string> shares) {
  return {"cache", std::move(shares), "share of all rows that memory may hold; 1: no table lies in a file"};
}

inline const ModelChoice access_choice = {"access", {"mapped", "blocks"}, "how rows are read from files"};

inline double share_of_memory(const ChosenValues& chosen, const ModelChoice& cache) {
  const std::string& value = chosen_value(chosen, cache);
  return value == "1" ? 1.0 : 1.0 / std::stod(value.substr(2));
}

inline RowAccess access_of(const ChosenValues& chosen) {
  return chosen_index(chosen, access_choice) == 0 ? RowAccess::mapped : RowAccess::blocks;
}

}  // namespace tbci::suite
