#include "github/breaks_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_details_bytes = 6'000;
constexpr std::size_t most_breaks_bytes = 16'000;

const BreakFacts* facts_of(const ReportFacts& facts, const model::Series& series) {
  const auto found = std::find_if(facts.breaks.begin(), facts.breaks.end(),
                                  [&](const BreakFacts& one) { return one.series == series; });
  return found == facts.breaks.end() ? nullptr : &*found;
}

// `SIGSEGV` of `killed by SIGSEGV: ...`; empty where the text has none.
std::string signal_in(const std::string& message) {
  const std::size_t begin = message.find("SIG");
  if (begin == std::string::npos) return {};
  const std::size_t end = message.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", begin);
  return message.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace

std::string named_suite(const std::string& benchmark) {
  if (benchmark == "*") return "the native suite";
  return benchmark.ends_with('*') ? "suite " + benchmark : benchmark;
}

std::string break_headline(const ReportFacts& facts, const model::Series& series) {
  if (series.benchmark.ends_with('*')) return "cannot be listed";
  const BreakFacts* known = facts_of(facts, series);
  if (known == nullptr) return "fails";
  switch (known->outcome) {
    case model::Outcome::done:
      return "gives results that are not finite";
    case model::Outcome::unsupported:
      return "is not supported any more";
    case model::Outcome::out_of_memory:
      return "runs out of memory";
    case model::Outcome::exception:
      return "throws";
    case model::Outcome::crashed:
      return "crashes";
    case model::Outcome::timed_out:
      return "hangs";
    case model::Outcome::protocol:
      return "prints invalid output";
  }
  TBCI_ASSERT(false);
}

std::string break_tail(const ReportFacts& facts, const model::Series& series) {
  const BreakFacts* known = facts_of(facts, series);
  if (known == nullptr || known->message.empty()) return {};
  const std::string signal = signal_in(known->message);
  return ": " + (signal.empty() ? plain_line(known->message, 80) : plain_line(signal, 20));
}

std::string breaks_section(const ReportFacts& facts) {
  if (facts.breaks.empty()) return "";
  std::string text = "### First error\n\n";
  std::size_t shown = 0;
  for (const BreakFacts& one : facts.breaks) {
    const std::string where =
        one.series.benchmark.ends_with('*')
            ? escaped(named_suite(one.series.benchmark), 100)
            : fmt::format("{} ({})", escaped(one.series.benchmark, 100), to_string(one.series.configuration));
    std::string part = fmt::format(
        "- {}: {}\n", where, one.message.empty() ? break_headline(facts, one.series) : inline_code(one.message, 500));
    // Those that fail alike need their lines once.
    const bool told = std::any_of(facts.breaks.begin(), facts.breaks.begin() + static_cast<std::ptrdiff_t>(shown),
                                  [&](const BreakFacts& other) { return other.details == one.details; });
    if (!one.details.empty() && !told)
      part += fmt::format("\nIts last lines:\n\n{}\n", code_block(cut(one.details, most_details_bytes)));
    if (text.size() + part.size() > most_breaks_bytes) break;
    text += part;
    ++shown;
  }
  if (shown < facts.breaks.size()) text += fmt::format("- and {} more\n", facts.breaks.size() - shown);
  return text;
}

}  // namespace tbci::github
