#include "github/hints_section.hpp"

#include <fmt/format.h>

#include <cmath>

#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_hints = 6;

std::string calls_text(const AddedHint& hint) {
  if (std::lround(hint.calls) == std::lround(hint.calls_before)) return fmt::format("{:.0f}", hint.calls);
  return fmt::format("{:.0f} (was {:.0f})", hint.calls, hint.calls_before);
}

}  // namespace

std::string hints_section(const AddedHints& added) {
  if (added.hints.empty()) return "";
  std::string text = fmt::format(
      "### Hints\n\nWhat the culprit added to {}, from the calls of a few iterations on the culprit and on its parent "
      "({} processes each, in turn). The gain is what a change would save, as a part of the iteration.\n\n"
      "| hint | operator | calls | gain | what to try |\n| --- | --- | ---: | ---: | --- |\n",
      where_text({added.measured.benchmark, added.measured.configuration, model::Metric::time}), added.recordings);
  for (std::size_t i = 0; i < added.hints.size() && i < most_hints; ++i) {
    const AddedHint& hint = added.hints[i];
    text += fmt::format("| {} | {} | {} | {:.1f}% | {} |\n", escaped(hint.kind, 100), escaped(hint.name, 100),
                        calls_text(hint), 100 * hint.gain, escaped(hint.what_to_try, 200));
  }
  if (added.hints.size() > most_hints) text += fmt::format("\nand {} smaller ones\n", added.hints.size() - most_hints);
  return text;
}

}  // namespace tbci::github
