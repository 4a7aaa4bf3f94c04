#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "tests/github/fuzz/faults.hpp"

namespace tbci::fuzz {

namespace {

enum class Kind : unsigned { escaped = 1, inline_code = 2, code_block = 4 };

// `{}` is where the text goes.
struct Place {
  const char* name;
  const char* text;
  unsigned kinds;
  bool alone = false;  // nothing beside it at one end: only for text that is not empty
};

constexpr unsigned for_escaped = static_cast<unsigned>(Kind::escaped);
constexpr unsigned for_both = for_escaped | static_cast<unsigned>(Kind::inline_code);
constexpr unsigned for_block = static_cast<unsigned>(Kind::code_block);

constexpr std::array places = {
    Place{"paragraph", "Worst: {} is slower.\n", for_both},
    Place{"beginning of a paragraph", "{} is slower.\n", for_both, true},
    Place{"end of a paragraph", "It is {}\n", for_both, true},
    Place{"paragraph of its own", "{}\n", for_both, true},
    Place{"second line", "first\n{}\n", for_both, true},
    Place{"parentheses", "x ({}), y\n", for_both},
    Place{"strong", "2 benchmarks of **{}** regressed\n", for_escaped, true},
    Place{"between code", "`a` by {} (2026-01-06), `b`\n", for_both},
    Place{"heading", "### {}\n\nx\n", for_both, true},
    Place{"list item", "- {}: x\n- y\n", for_both},
    Place{"list item of its own", "- {}\n- y\n", for_both, true},
    Place{"list item's end", "- x: {}\n- y\n", for_both, true},
    Place{"list in a list", "- x\n  - {}, time\n    - {}\n", for_both, true},
    Place{"table cell", "| a | b |\n| --- | ---: |\n| {} | x |\n| y | {} |\n", for_escaped},
    Place{"table's head", "| {} | b |\n| --- | --- |\n| x | {} |\n", for_escaped},
    Place{"details", "<details>\n<summary>x</summary>\n\n{}\n\n| a | b |\n| --- | --- |\n| {} | x |\n\n</details>\n",
          for_escaped, true},
    Place{"link", "[{}](https://example.com/x) y\n", for_both},
    Place{"beside itself", "{} {}, {}: {}\n", for_both, true},
    Place{"block", "Its last lines:\n\n{}\nx\n", for_block},
    Place{"block below a list", "- x: y\n\nIts last lines:\n\n{}- z\n", for_block},
    Place{"block in details", "<details>\n<summary>x</summary>\n\n{}\n</details>\n", for_block},
};

std::string put(const Place& place, const std::string& markdown) {
  std::string text = place.text;
  for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + markdown.size())) {
    text.replace(at, 2, markdown);
  }
  return text;
}

void check(std::string_view function, unsigned kind, const std::string& markdown, const std::string& harmless,
           const std::string& shown, Faults& faults) {
  for (const Place& place : places) {
    if ((place.kinds & kind) == 0 || (place.alone && shown.empty())) continue;
    compare(fmt::format("{}, {}", function, place.name), put(place, markdown), put(place, harmless), shown, faults);
  }
}

// What a reader sees of ASCII, apart from spaces.
std::string seen_ascii(std::string_view text) {
  std::string seen;
  std::copy_if(text.begin(), text.end(), std::back_inserter(seen), [](char c) { return c > ' ' && c <= '~'; });
  return seen;
}

void check_plain_line(const std::string& text, std::size_t bytes, Faults& faults) {
  const std::string shown = github::plain_line(text, bytes);
  check_line("plain_line", shown, std::max<std::size_t>(bytes, 3), faults);
  const std::string_view begins = std::string_view(shown).substr(0, shown.size() - (shown.ends_with("...") ? 3 : 0));
  const std::string all = seen_ascii(text), part = seen_ascii(begins);
  if (all != seen_ascii(shown) && !(shown.ends_with("...") && all.starts_with(part)))
    faults.push_back({"plain_line", "it lost or added a character", shown});
}

// Lines as a reader sees them, with a newline at the end.
std::string lines_of(const std::string& text) {
  std::string shown;
  for (const std::string& each : split(valid_utf8(text), '\n')) {
    // plain_line trims: a mark at each end keeps the spaces.
    std::vector<std::string> columns;
    for (const std::string& column : split(each, '\t')) {
      const std::string marked = github::plain_line("[" + column + "]", column.size() * 3 + 2);
      columns.push_back(marked.substr(1, marked.size() - 2));
    }
    shown += join(columns, "\t") + "\n";
  }
  if (shown.ends_with("\n\n") || shown == "\n") shown.pop_back();  // it ended with a newline, or is empty
  return shown;
}

}  // namespace

void check_escapers(const std::string& text, HostileTexts& random, Faults& faults) {
  constexpr std::array<std::size_t, 6> limits = {200, 100, 60, 40, 500, 10'000};
  const std::size_t bytes = limits[random.below(limits.size())];
  check_plain_line(text, random.below(60), faults);
  check_plain_line(text, bytes, faults);
  const std::string shown = github::plain_line(text, bytes);
  check("escaped", for_escaped, github::escaped(text, bytes), "PLACEHOLDER", shown, faults);
  const bool empty = shown.empty();
  check("inline_code", for_both & ~for_escaped, github::inline_code(text, bytes), empty ? "(empty)" : "`PLACEHOLDER`",
        shown, faults);
  const std::string lines = lines_of(text);
  check("code_block", for_block, github::code_block(text), lines.empty() ? "```\n```\n" : "```\nPLACEHOLDER\n```\n",
        lines.substr(0, lines.size() - (lines.empty() ? 0 : 1)), faults);
}

}  // namespace tbci::fuzz
