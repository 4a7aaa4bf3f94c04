#include "web/pages/html.hpp"

#include "base/text.hpp"

namespace tbci::web {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// U+202A to U+202E and U+2066 to U+2069 change the order in which text is shown: `E2 80 AA..AE`, `E2 81 A6..A9`.
bool turns_direction(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(text[2]);
  return (text[1] == '\x80' && last >= 0xAA && last <= 0xAE) || (text[1] == '\x81' && last >= 0xA6 && last <= 0xA9);
}

}  // namespace

std::string escaped(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
      out += replacement;
    } else if (turns_direction(std::string_view(valid).substr(i))) {
      out += replacement;
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace tbci::web
