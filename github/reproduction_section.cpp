#include "github/reproduction_section.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_commands_bytes = 8'000;

std::string shell_line(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& argument : command) words.push_back(shell_quoted(argument));
  return join(words, " ");
}

// A hash can be copied from code, and stays whole there; any other text is hostile.
std::string build_cell(const std::string& value) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_ ";
  if (value.empty()) return "-";
  const bool is_harmless = value.size() <= 100 && value.find_first_not_of(harmless) == std::string::npos;
  return is_harmless ? inline_code(value) : escaped(value, 200);
}

// Why no line installs a nightly.
std::string without_install(const ReportFacts& facts) {
  if (!facts.before || !facts.after || (!facts.before->install.empty() && !facts.after->install.empty())) return "";
  return facts.after->origin.empty() ? "" : escaped(facts.after->origin, 300) + "\n\n";
}

}  // namespace

std::string reproduction_section(const ReportFacts& facts) {
  std::vector<std::string> lines;
  for (const std::optional<ComparedBuild>& build : {facts.before, facts.after}) {
    if (build && !build->install.empty())
      lines.push_back(fmt::format("# {}\n{}", lines.empty() ? "before" : "after", shell_line(build->install)));
  }
  for (const auto& command : facts.commands) lines.push_back(shell_line(command));
  if (lines.empty()) return "";
  Lines kept = lines_within(lines, most_commands_bytes);
  if (kept.left_out > 0) kept.text += fmt::format("# {} omitted\n", counted(kept.left_out, "line"));
  return "### How to reproduce\n\n" + without_install(facts) + code_block(kept.text, "sh");
}

std::string builds_section(const ReportFacts& facts) {
  if (!facts.before || !facts.after) return "";
  const auto row = [](std::string_view name, const std::string& before, const std::string& after) {
    return fmt::format("| {} | {} | {} |\n", escaped(name, 60), build_cell(before), build_cell(after));
  };
  std::string table = "| | before | after |\n| --- | --- | --- |\n";
  table += row("nightly", facts.before->name, facts.after->name);
  table += row("version", facts.before->version, facts.after->version);
  table += row("commit", facts.before->commit, facts.after->commit);
  std::set<std::string> names;
  for (const std::optional<ComparedBuild>& build : {facts.before, facts.after}) {
    for (const auto& [name, digest] : build->libraries) names.insert(name);
  }
  const auto digest_in = [](const ComparedBuild& build, const std::string& name) {
    const auto found = build.libraries.find(name);
    return found == build.libraries.end() ? std::string() : found->second;
  };
  constexpr std::size_t most_libraries = 20;
  for (const std::string& name : names) {
    if (names.size() <= most_libraries)
      table += row(name, digest_in(*facts.before, name), digest_in(*facts.after, name));
  }
  return folded("Both builds, with the digests of their libraries", table);
}

}  // namespace tbci::github
