#include "base/text.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/assert.hpp"

namespace tbci {

namespace {

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 100 || value == std::round(value)) return fmt::format("{:.0f}", value);
  return size >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

// Levenshtein's distance, one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// The bytes of the UTF-8 sequence at `text[at]`, 0 where there is no valid one.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string human_bytes(double bytes) {
  static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string human_count(double count) {
  static constexpr std::array units = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (std::abs(count) >= 1000 && unit + 1 < units.size()) {
    count /= 1000;
    ++unit;
  }
  return fmt::format("{}{}", three_digits(count), units[unit]);
}

std::string human_duration(std::chrono::nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds >= 3600)
    return fmt::format("{} h {} min", static_cast<int>(seconds / 3600), static_cast<int>(seconds / 60) % 60);
  if (seconds >= 60) return fmt::format("{} min {} s", static_cast<int>(seconds / 60), static_cast<int>(seconds) % 60);
  if (seconds >= 1) return fmt::format("{} s", three_digits(seconds));
  if (seconds >= 1e-3) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds >= 1e-6) return fmt::format("{} us", three_digits(seconds * 1e6));
  return fmt::format("{} ns", duration.count());
}

std::string human_difference(std::chrono::nanoseconds difference) {
  return (difference < std::chrono::nanoseconds{} ? "-" : "+") + human_duration(std::chrono::abs(difference));
}

std::string human_change(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:+.1f}%", fraction * 100) : "new";
}

std::string human_certainty(double probability) {
  if (probability > 0.9999) return "over 99.99%";
  return fmt::format("{:.2f}%", std::floor(std::max(probability, 0.0) * 1e4 + 1e-9) / 100);
}

namespace {

// Who leaves out the end means the name that begins so; a single letter, or a dash, says too little.
const std::string* only_one_that_begins_with(std::string_view name, std::span<const std::string> known) {
  const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  if (name.size() < dashes + 2) return nullptr;
  const std::string* only = nullptr;
  for (const std::string& candidate : known) {
    if (!candidate.starts_with(name)) continue;
    if (only != nullptr) return nullptr;
    only = &candidate;
  }
  return only;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  if (const std::string* longer = only_one_that_begins_with(name, known)) return *longer;
  const std::string* best = nullptr;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(name, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = &candidate;
    }
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const auto nearest = nearest_name(name, known);
  return nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : std::string();
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  static constexpr std::string_view spaces = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

std::string join(std::span<const std::string> parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), between));
}

std::string one_line(std::string_view text, std::size_t length) {
  std::string line;
  for (const char c : valid_utf8(trim(text))) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  if (line.size() <= length) return line;
  std::size_t end = length > 3 ? length - 3 : 0;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      ++at;
    } else {
      valid += text.substr(at, length);
      at += length;
    }
  }
  return valid;
}

std::string shell_quoted(std::string_view argument) {
  static constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) return std::string(argument);
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool holds_credentials(std::string_view text) {
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
    const std::string_view rest = text.substr(at + 3);
    if (rest.substr(0, rest.find_first_of("/ \t,;")).find('@') != std::string_view::npos) return true;
  }
  return false;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  TBCI_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace tbci
