#include "suite/json.hpp"

#include <cmath>
#include <cstdio>

namespace tbci::suite {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The length in bytes of the UTF-8 character at `i`; 0 if it is not one (broken, overlong, a surrogate, too large).
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte_at(text, i + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return length;
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
    out += c;
    return;
  }
  char escaped[8];
  std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  out += escaped;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      if (length == 1)
        append_ascii(out, text[i]);
      else
        out += text.substr(i, length);
      i += length;
    }
  }
  return out + "\"";
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view value) {
  if (!fields_.empty()) fields_ += ',';
  fields_ += json_string(name);
  fields_ += ':';
  fields_ += value;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
  return raw(name, json_string(value));
}

JsonObject& JsonObject::add(std::string_view name, std::int64_t value) {
  return raw(name, std::to_string(value));
}

JsonObject& JsonObject::add(std::string_view name, std::uint64_t value) {
  return raw(name, std::to_string(value));
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  if (!std::isfinite(value)) return raw(name, "null");
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return raw(name, digits);
}

JsonObject& JsonObject::add(std::string_view name, const std::vector<std::string_view>& values) {
  std::string list;
  for (const std::string_view value : values) {
    if (!list.empty()) list += ',';
    list += json_string(value);
  }
  return raw(name, "[" + list + "]");
}

JsonObject& JsonObject::add(std::string_view name, const JsonObject& value) {
  return raw(name, value.text());
}

}  // namespace tbci::suite
