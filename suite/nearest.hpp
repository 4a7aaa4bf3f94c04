// How far a mistyped name is from an existing one.
#pragma once

#include <cstddef>
#include <string_view>

namespace tbci::suite {

// Levenshtein (1966): the least number of letters to add, remove or change.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace tbci::suite
