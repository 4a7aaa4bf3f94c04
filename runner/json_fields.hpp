// Reads fields of JSON that other programs wrote: workers, pip. A worker runs the code under test, so every field may
// be missing, of another type or out of range: then the result is empty. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tbci::runner {

/// Nothing unless the field is an integer from `least` to `most`.
std::optional<std::int64_t> integer_field(const nlohmann::json& line, const char* name, std::int64_t least,
                                          std::int64_t most);

/// One printable line of at most `length` characters; empty unless the field is a string.
std::string text_field(const nlohmann::json& line, const char* name, std::size_t length = 200);

}  // namespace tbci::runner
