#include "tests/github/fuzz/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "tests/github/fuzz/rendered.hpp"

namespace tbci::fuzz {

namespace {

std::string with_shown(std::string text, std::string_view shown) {
  constexpr std::string_view placeholder = "PLACEHOLDER";
  for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at)) {
    text.replace(at, placeholder.size(), shown);
    at += shown.size();
  }
  return text;
}

std::string as_list(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : join(texts, ", ");
}

}  // namespace

void compare(std::string_view where, const std::string& markdown, const std::string& harmless, std::string_view shown,
             Faults& faults) {
  const auto found = [&](const std::string& what) { faults.push_back({std::string(where), what, markdown}); };
  std::vector<Part> wanted = rendered(harmless);
  const std::vector<Part> got = rendered(markdown);
  const std::vector<std::string> links = references(got), known = references(wanted);
  if (links.size() != known.size()) return found("GitHub would make something of: " + as_list(links));
  if (outline(wanted) != outline(got)) {
    return found(fmt::format("other tags: {}, wanted {}", join(split(outline(got), '\n'), " "),
                             join(split(outline(wanted), '\n'), " ")));
  }
  // Where text is empty, so is what stands between two tags.
  std::string texts, wanted_texts;
  for (const Part& part : got) texts += part.tag ? "\x1D" : as_seen(part.text);
  for (const Part& part : wanted) wanted_texts += part.tag ? "\x1D" : with_shown(as_seen(part.text), shown);
  if (texts != wanted_texts) found("it shows: " + texts);
}

void check_line(std::string_view where, std::string_view line, std::size_t bytes, Faults& faults) {
  const auto found = [&](const std::string& what) { faults.push_back({std::string(where), what, std::string(line)}); };
  if (line.size() > bytes) return found(fmt::format("{} bytes, at most {} wanted", line.size(), bytes));
  if (valid_utf8(line) != line) return found("not UTF-8");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(line.begin(), line.end(), is_control)) return found("a control character");
  if (line.starts_with(' ') || line.ends_with(' ')) return found("a space at an end");
  // Direction marks, line separators, the mark of a file's beginning, zero width, C1 controls.
  for (const std::string_view mark :
       {"\xE2\x80\x8B", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xA9",
        "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE",
        "\xE2\x81\xA0", "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9",
        "\xEF\xBB\xBF", "\xD8\x9C",     "\xC2\x85",     "\xC2\x9B",     "\xF3\xA0\x81\x81"}) {
    if (contains(line, mark)) return found("a character that is not seen");
  }
}

}  // namespace tbci::fuzz
