#include "github/other_runners_section.hpp"

#include <fmt/format.h>

#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_others = 5;

// `Slower on `a`, not on `b``
std::string verdict_text(const std::string& here, const std::string& there, Elsewhere verdict) {
  switch (verdict) {
    case Elsewhere::slower:
      return fmt::format("Slower on {} and on {}", here, there);
    case Elsewhere::unchanged:
      return fmt::format("Slower on {}, not on {}", here, there);
    case Elsewhere::undecided:
      break;
  }
  return fmt::format("Slower on {}; not decided on {}", here, there);
}

}  // namespace

std::string other_runners_lines(const std::string& own_name, const model::Series& series,
                                const std::vector<OtherRunner>& others) {
  const std::string here = own_name.empty() ? "the machine of this report" : inline_code(own_name, 100);
  std::string text;
  for (std::size_t i = 0; i < others.size() && i < most_others; ++i) {
    const OtherRunner& other = others[i];
    const std::string there = other.name.empty() ? "another one" : inline_code(other.name, 100);
    text += fmt::format("- {} ({}: {}, interval {}, the culprit beside its parent).",
                        verdict_text(here, there, other.verdict), where_text(series), change_text(other.change),
                        interval_text(other.low, other.high));
    if (!other.difference.empty()) text += fmt::format(" There {}.", escaped(other.difference, 600));
    text += "\n";
  }
  if (others.size() > most_others) text += fmt::format("- and {} more runners\n", others.size() - most_others);
  return text;
}

}  // namespace tbci::github
