#include "github/environment_section.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_facts_bytes = 8'000;

std::string change_of_machine(const ReportFacts& facts) {
  if (!facts.machine) return "";
  const MachineChange& change = *facts.machine;
  if (change.what.empty()) {
    return fmt::format("Nothing that tbci knows of changed on the machine since nightly {}.\n\n",
                       inline_code(change.since, 100));
  }
  return fmt::format("Changed on the machine since nightly {}: {}.\n\n", inline_code(change.since, 100),
                     escaped(change.what, 1000));
}

}  // namespace

std::string environment_section(const ReportFacts& facts) {
  if (facts.environment.empty() && !facts.machine) return "";
  std::string text = "### Environment\n\n" + change_of_machine(facts);
  if (facts.environment.empty()) return text;
  std::vector<std::string> lines;
  for (const auto& [name, value] : facts.environment)
    lines.push_back(fmt::format("| {} | {} |", escaped(name, 60), escaped(value, 200)));
  const Lines kept = lines_within(lines, most_facts_bytes);
  std::string table = "| fact | value |\n| --- | --- |\n" + kept.text;
  if (kept.left_out > 0) table += fmt::format("\n{} omitted.\n", counted(kept.left_out, "fact"));
  return text + folded(fmt::format("All {}", counted(lines.size(), "fact")), table);
}

}  // namespace tbci::github
