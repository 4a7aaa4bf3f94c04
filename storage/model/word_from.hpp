// Reads one of a few words.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"

namespace tbci::model {

/// The value whose `to_string` is the text. Error (usage) with the nearest word and all of them; `kind` names what
/// they are words for.
template <typename Value, std::size_t N>
Result<Value> word_from(std::string_view text, const std::array<Value, N>& all, std::string_view kind) {
  std::vector<std::string> known;
  for (const Value& value : all) {
    if (to_string(value) == text) return value;
    known.emplace_back(to_string(value));
  }
  return fail(ErrorKind::usage, "unknown {} '{}'{}: one of {}", kind, one_line(text, 60), did_you_mean(text, known),
              join(known, ", "));
}

}  // namespace tbci::model
