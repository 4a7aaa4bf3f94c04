#include "github/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text.hpp"

namespace tbci::github {

namespace {

// An invisible character that interrupts references, mentions and links.
constexpr std::string_view zero_width_entity = "&#8203;";
constexpr std::string_view zero_width_space = "\xE2\x80\x8B";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

// `text` is valid UTF-8.
CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(at + 1) & 0x3F), 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(at + 1) & 0x3F) << 6 | (byte(at + 2) & 0x3F), 3};
  return {(first & 0x07) << 18 | (byte(at + 1) & 0x3F) << 12 | (byte(at + 2) & 0x3F) << 6 | (byte(at + 3) & 0x3F), 4};
}

// What breaks a line, and spaces that Markdown takes for such where they touch its marks: `**` before one is not a
// mark.
bool becomes_space(std::uint32_t c) {
  return c < 0x20 || c == 0x7F || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Invisible characters that change the visible text: C1 controls, direction marks, zero-width characters, tags. (Keeps
// the joiners U+200C and U+200D: some scripts and many emoji need them.)
bool unseen(std::uint32_t c) {
  return (c >= 0x80 && c < 0xA0) || c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

std::string cleaned(std::string_view raw, bool keep_lines) {
  const std::string text = valid_utf8(raw);
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    if (keep_lines && (c.value == '\n' || c.value == '\t')) {
      clean += static_cast<char>(c.value);
    } else if (becomes_space(c.value)) {
      clean += ' ';
    } else if (!unseen(c.value)) {
      clean += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return clean;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// A word of letters and digits, interrupted if GitHub would read it as a commit, a reference (GH-12) or a URL (www.).
std::string broken_word(std::string_view word, std::string_view rest) {
  constexpr std::size_t shortest_commit = 7;
  std::string text;
  if (word.size() >= shortest_commit && std::all_of(word.begin(), word.end(), is_hex)) {
    for (std::size_t at = 0; at < word.size(); at += shortest_commit - 1) {
      if (at > 0) text += zero_width_entity;
      text += word.substr(at, shortest_commit - 1);
    }
    return text;
  }
  text = word;
  std::string name(word);
  std::transform(name.begin(), name.end(), name.begin(), upper);
  const bool refers = rest.size() > 1 && rest[0] == '-' && (name == "GH" || name == "GHSA" || name == "CVE");
  const bool address = name == "WWW" && (rest.empty() || rest[0] == '.');  // tbci may write a full stop behind it
  if (refers || address) text += zero_width_entity;
  return text;
}

// What follows a colon is `smile:`, of which GitHub makes a picture, or `smile` to which our own text may add a colon.
// It knows thousands of names, so any will do.
bool names_picture(std::string_view rest) {
  const auto belongs = [](char c) { return is_alphanumeric(c) || c == '_' || c == '+' || c == '-'; };
  const auto end = std::find_if_not(rest.begin(), rest.end(), belongs);
  return end != rest.begin() && (end == rest.end() || *end == ':');
}

std::string escaped_mark(char c, std::string_view rest) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '$':  // mathematics
      return "&#36;";
    case '@':
      return rest.empty() || rest[0] == ' ' ? "@" : fmt::format("@{}", zero_width_entity);
    case '#':
      return !rest.empty() && is_alphanumeric(rest[0]) ? fmt::format("\\#{}", zero_width_entity) : "\\#";
    case ':':
      return rest.substr(0, 2) == "//" || names_picture(rest) ? fmt::format(":{}", zero_width_entity) : ":";
    case '\\':
    case '`':
    case '*':
    case '_':
    case '[':
    case ']':
    case '~':
    case '|':
    case '^':  // `[^1]:`, where a report's own bracket stands before it
      return fmt::format("\\{}", c);
    default:
      return {c};
  }
}

// The place of the mark of what a line must not start with: `- `, `+ `, `===`, `1. `. No place: it starts nothing.
std::optional<std::size_t> mark_of_block(std::string_view line) {
  if (line.empty()) return std::nullopt;
  if (line[0] == '-' || line[0] == '+' || line[0] == '=') return 0;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  const bool numbered = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  const bool item = numbered && (digits + 1 == line.size() || line[digits + 1] == ' ');
  return item ? std::optional(digits) : std::nullopt;
}

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Code that ends where it should. GitHub takes no fence of more than 80 backticks for one in a line, nor compares more
// than 255 of a block: a long run in the text would make plain text of it. A comment in code is harmless on the page,
// but the search for the marker reads the source.
std::string interrupted(const std::string& text) {
  constexpr std::size_t longest_fence = 16;
  std::string safe;
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    run = text[at] == '`' ? run + 1 : 0;
    const bool comment = at > 0 && text[at - 1] == '<' && text[at] == '!';
    if (comment || run == longest_fence) safe += zero_width_space;
    if (run == longest_fence) run = 1;
    safe += text[at];
  }
  return safe;
}

}  // namespace

std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string plain_line(std::string_view text, std::size_t bytes) {
  const std::string clean = cleaned(text, false);
  const std::string_view line = trim(clean);
  if (line.size() <= bytes) return std::string(line);
  return std::string(cut(line, bytes > 3 ? bytes - 3 : 0)) + "...";
}

std::string escaped(std::string_view text, std::size_t bytes) {
  const std::string line = plain_line(text, bytes);
  const std::optional<std::size_t> block = mark_of_block(line);
  std::string safe;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view rest = std::string_view(line).substr(at);
    const auto word =
        static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_alphanumeric) - rest.begin());
    if (word > 0) {
      safe += broken_word(rest.substr(0, word), rest.substr(word));
    } else {
      if (at == block) safe += '\\';
      safe += escaped_mark(rest[0], rest.substr(1));
    }
    at += std::max<std::size_t>(word, 1);
  }
  return safe;
}

std::string inline_code(std::string_view text, std::size_t bytes) {
  const std::string code = interrupted(plain_line(text, bytes));
  if (code.empty()) return "(empty)";
  const std::string fence(longest_run(code, '`') + 1, '`');
  const std::string_view space = code.front() == '`' || code.back() == '`' ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, space, code, space, fence);
}

std::string code_block(std::string_view text, std::string_view language) {
  const std::string code = interrupted(cleaned(text, true));
  const std::string fence(std::max<std::size_t>(3, longest_run(code, '`') + 1), '`');
  const std::string_view newline = code.empty() || code.back() == '\n' ? "" : "\n";
  return fmt::format("{}{}\n{}{}{}\n", fence, language, code, newline, fence);
}

}  // namespace tbci::github
