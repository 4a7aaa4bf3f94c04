// What the fuzzer found, and how it looks for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/github/fuzz/hostile_texts.hpp"

namespace tbci::fuzz {

struct Fault {
  std::string where;     ///< `escaped, table cell`
  std::string what;      ///< what was expected and what came
  std::string markdown;  ///< that was rendered
};
using Faults = std::vector<Fault>;

/// Compares what is rendered of `markdown` with what is rendered of `harmless`, in which `shown` stands in place of
/// each `PLACEHOLDER`: the same tags, the same text (apart from U+200B), no more references.
void compare(std::string_view where, const std::string& markdown, const std::string& harmless, std::string_view shown,
             Faults& faults);

/// One text through each function of github/markdown.hpp, in each place where a report has such text.
void check_escapers(const std::string& text, HostileTexts& random, Faults& faults);

/// Whole reports with hostile text in each field: the tags of one with harmless text, and no more references.
void check_report(HostileTexts& random, Faults& faults);

/// A line for a place without Markdown: no control characters, nothing unseen, at most `bytes` bytes of valid UTF-8.
void check_line(std::string_view where, std::string_view line, std::size_t bytes, Faults& faults);

}  // namespace tbci::fuzz
