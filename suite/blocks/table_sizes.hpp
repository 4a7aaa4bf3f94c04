// How large the tables of a dlrm are, by choice: for the growth of times (`tbci scale`).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/model_choices.hpp"

namespace tbci::suite {

inline const ModelChoice rows_choice = {
    "rows",
    {"own", "1024", "2048", "4096", "8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576"},
    "of the largest table; the others keep their shares of it"};
inline const ModelChoice width_choice = {"width", {"own", "4", "8", "16", "32", "64", "128", "256"}, "of a row"};

inline std::int64_t chosen_size(const ChosenValues& chosen, const ModelChoice& choice, std::int64_t own) {
  const std::string& value = chosen_value(chosen, choice);
  return value == choice.values.front() ? own : std::stoll(value);
}

// The rows of the tables, where the largest has as many as are chosen.
inline std::vector<std::int64_t> chosen_rows(const ChosenValues& chosen, std::vector<std::int64_t> tables) {
  const std::int64_t own = *std::max_element(tables.begin(), tables.end());
  const std::int64_t largest = chosen_size(chosen, rows_choice, own);
  for (std::int64_t& rows : tables) rows = std::max<std::int64_t>(1, rows * largest / own);
  return tables;
}

}  // namespace tbci::suite
