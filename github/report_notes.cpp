#include "github/report_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"
#include "storage/model/words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_listed = 20;

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < most_listed; ++i) text += "- " + lines[i] + "\n";
  if (lines.size() > most_listed) text += fmt::format("- and {} more\n", lines.size() - most_listed);
  return text;
}

std::string list_of(const std::vector<model::Finding>& findings) {
  std::vector<std::string> lines;
  for (const model::Finding& finding : findings) lines.push_back(figures_text(finding));
  return list_of(lines);
}

std::string decision_text(const model::Decision& decision) {
  return fmt::format("{} by {}: {}", model::to_string(decision.standing), inline_code(decision.person, 60),
                     escaped(decision.reason, 500));
}

}  // namespace

std::string figures_text(const model::Finding& finding) {
  const std::string series = series_text(finding.series);
  if (finding.series.metric == model::Metric::outcome) return series + ": fails";
  std::string text = fmt::format("{}: {} became {}", series, model::readable(finding.series.metric, finding.before),
                                 model::readable(finding.series.metric, finding.after));
  if (!std::isfinite(finding.change)) return text;
  text += " (" + human_change(finding.change);
  if (std::isfinite(finding.low) && std::isfinite(finding.high))
    text += fmt::format(", {} to {}", human_change(finding.low), human_change(finding.high));
  return text + ")";
}

std::string culprit_note(const model::Commit& culprit) {
  return fmt::format("**The culprit is known now:** commit {}\n", named_commit(culprit));
}

std::string worse_note(const std::vector<model::Finding>& worse, std::string_view night) {
  return fmt::format("**It became worse** with the nightly {}:\n\n{}", inline_code(night, 100), list_of(worse));
}

std::string relapse_note(const std::vector<model::Finding>& back, std::string_view night) {
  return fmt::format("**It is back** in the nightly {}:\n\n{}", inline_code(night, 100), list_of(back));
}

std::string ending_note(const std::vector<Recovery>& recoveries, const std::vector<model::Decision>& decisions) {
  std::vector<std::string> lines;
  for (const Recovery& one : recoveries) lines.push_back(recovery_text(one));
  std::set<std::string> decided;  // one decision often settles all series of a report
  for (const model::Decision& decision : decisions) decided.insert(decision_text(decision));
  lines.insert(lines.end(), decided.begin(), decided.end());
  const bool reverted = std::ranges::any_of(recoveries, [](const Recovery& one) { return one.revert.has_value(); });
  const std::string_view head = recoveries.empty() ? "**Settled.**" : reverted ? "**Reverted.**" : "**Recovered.**";
  return fmt::format("{}\n\n{}", head, list_of(lines));
}

std::string moved_note() {
  return "**Settled.** Another search found other culprits for all of it; the reports about them go on with it.\n";
}

std::string reopening_note(const model::Decision& decision) {
  return fmt::format("**Opened again** by {}: {}\n", inline_code(decision.person, 60), escaped(decision.reason, 500));
}

std::string confirmation_note(const std::vector<std::string>& looks, std::string_view night, std::string_view person) {
  return fmt::format("**Measured again** with the nightly {}, as {} asked:\n\n{}", inline_code(night, 100),
                     inline_code(person, 60), list_of(looks));
}

std::string unknown_command_note(std::string_view person, std::string_view why) {
  return fmt::format(
      "{}: {}. On an issue of tbci, those with write access can write:\n\n"
      "- `/tbci accept [REASON]`: the change is wanted; it is the new level.\n"
      "- `/tbci dismiss REASON`: it is not a regression.\n"
      "- `/tbci reopen [REASON]`: it is one after all.\n"
      "- `/tbci rebisect`: search for the culprit again.\n"
      "- `/tbci confirm`: measure tonight whether it is there.\n",
      inline_code(person, 60), escaped(why, 200));
}

}  // namespace tbci::github
