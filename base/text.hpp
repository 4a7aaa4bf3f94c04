// Small helpers for what people read.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tbci {

/// `1.5 KiB`, `64 MiB`: three significant digits.
std::string human_bytes(double bytes);
/// `812 M`, `1.5 G`: powers of a thousand, three significant digits.
std::string human_count(double count);
/// `12.3 ms`, `1 min 5 s`: what a person would say.
std::string human_duration(std::chrono::nanoseconds duration);
/// `+3 ms`, `-150 us`.
std::string human_difference(std::chrono::nanoseconds difference);
/// `+8.1%`: the sign is always there. `new` where it came from nothing (infinite).
std::string human_change(double fraction);
/// `1 commit`, `7 commits`, `2 processes`: `many` where that is not `one` with an s.
std::string counted(std::integral auto count, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count != 1 && !many.empty()) return text.append(many);
  return text.append(one).append(count == 1 ? "" : "s");
}
/// A probability in percent with two digits, cut off and not rounded: 99.999% is `over 99.99%`, never 100%.
std::string human_certainty(double probability);

/// The name of `known` with the fewest edits to `name`, where that is near enough to be a typo.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);
/// ` (did you mean 'x'?)` or nothing: to put behind an error.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// std::string::contains of C++23.
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view between);
/// The text in one line of at most `length` bytes of UTF-8, without control characters; an ellipsis where it was cut.
std::string one_line(std::string_view text, std::size_t length = 200);
/// Bytes that are not UTF-8 become U+FFFD.
std::string valid_utf8(std::string_view text);
/// An argument as a POSIX shell reads it: for showing commands, never for running them.
std::string shell_quoted(std::string_view argument);

/// Whether a text holds an address with a user or a password in it, as in https://user:word@host/.
bool holds_credentials(std::string_view text);

/// SHA-256 as 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace tbci
