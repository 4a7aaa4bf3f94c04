#include "github/search_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

using model::Metric;

constexpr std::size_t most_answers_bytes = 8'000;

// `; 99.97% certain; prior 24% (touches a/b.cpp)`
std::string certainty_text(const model::FoundStep& step) {
  std::string text;
  if (step.posterior > 0) text += fmt::format("; {} certain", human_certainty(step.posterior));
  if (step.prior > 0) {
    text += fmt::format("; prior {:.2g}% ({})", 100 * step.prior, escaped(step.prior_reason, 200));
  }
  return text;
}

// The other steps of a series. A step in the other direction repaired part of the regression.
std::string other_step_text(const ReportFacts& facts, const model::FoundStep& step) {
  std::vector<std::string> commits;
  for (const std::string& id : step.suspects) commits.push_back(commit_text(facts, id));
  constexpr std::size_t most_named = 5;
  const std::string more = commits.size() > most_named ? fmt::format(" and {} more", commits.size() - most_named) : "";
  if (!more.empty()) commits.resize(most_named);
  return fmt::format("    - {} {}{}: {} ({}){}", step.repair ? "partly repaired by" : "also changed at",
                     join(commits, commits.size() > 1 ? " or " : ""), more, change_text(step.change),
                     interval_text(step.low, step.high), certainty_text(step));
}

std::string answer_line(const ReportFacts& facts, const model::Answer& answer) {
  std::string change = fmt::format("{} ({})", change_text(answer.change), interval_text(answer.low, answer.high));
  std::string certainty, others;
  const model::FoundStep* reported = reported_step(facts, answer);
  if (reported != nullptr) {
    change = fmt::format("{} ({})", change_text(reported->change), interval_text(reported->low, reported->high));
    certainty = certainty_text(*reported);
  }
  if (answer.series.metric == Metric::outcome) {
    // Without a step there is nothing that its ends could say as a number.
    change = answer.steps.empty()
                 ? "no culprit"
                 : fmt::format("fails in {:.0f}% of its processes from it on (95% interval {:.0f} to {:.0f}%)",
                               100 * answer.change, 100 * answer.low, 100 * answer.high);
  }
  for (const model::FoundStep& step : answer.steps) {
    if (&step != reported) others += "\n" + other_step_text(facts, step);
  }
  return fmt::format("  - {}: {}{}{}{}", series_text(answer.series), change, certainty,
                     answer.reason.empty() ? "" : "; " + escaped(answer.reason), others);
}

std::string answers_text(const ReportFacts& facts) {
  if (facts.answers.empty()) return "";
  std::vector<std::string> lines;
  for (const model::Answer& answer : facts.answers) lines.push_back(answer_line(facts, answer));
  const Lines kept = lines_within(lines, most_answers_bytes);
  std::string text =
      facts.suspects.size() == 1 ? "- The culprit compared with its parent:\n" : "- Result of the search:\n";
  text += kept.text;
  if (kept.left_out > 0) text += fmt::format("  - and {} more\n", kept.left_out);
  return text;
}

std::string skipped_text(const std::vector<SkippedNightly>& skipped) {
  constexpr std::size_t most = 10;
  if (skipped.empty()) return "";
  std::vector<std::string> names;
  for (const SkippedNightly& one : skipped) {
    if (names.size() == most) break;
    names.push_back(fmt::format("{} ({})", inline_code(one.name, 100), escaped(one.reason, 150)));
  }
  const std::string more = skipped.size() > most ? fmt::format(", and {} more", skipped.size() - most) : "";
  return fmt::format("- These nightlies between the two were not measured, so the range is wider: {}{}\n",
                     join(names, ", "), more);
}

std::string nights_text(const ReportFacts& facts) {
  if (facts.night.empty()) return "";
  std::string text =
      fmt::format("- Nightly {} compared with {}\n", inline_code(facts.night, 100), inline_code(facts.baseline, 100));
  if (!facts.bad_nightly.empty()) {
    text += fmt::format("- Nightly {} has the change already, so the search ended there\n",
                        inline_code(facts.bad_nightly, 100));
  }
  return text + skipped_text(facts.skipped);
}

std::string commits_text(const ReportFacts& facts) {
  std::string text;
  if (facts.rewound) text += "- main was rewound between the two: the search began at the last commit that both have\n";
  if (!facts.from.empty() && !facts.to.empty()) {
    text += fmt::format("- Commits {} to {}", commit_text(facts, facts.from), commit_text(facts, facts.to));
    text +=
        facts.commits > 0 ? fmt::format(" ({})\n", counted(static_cast<std::size_t>(facts.commits), "commit")) : "\n";
  }
  if (facts.builds > 0 || facts.measurements > 0) {
    text += fmt::format("- Bisection: {}, {}\n", counted(static_cast<std::size_t>(std::max(0, facts.builds)), "build"),
                        counted(static_cast<std::size_t>(std::max(0, facts.measurements)), "measurement"));
  }
  return text;
}

// What could have moved the numbers besides the code, and what is known of it.
std::string ruled_out_text(const ReportFacts& facts, const model::Finding& worst) {
  std::string out, open;
  if (worst.pairs > 0 && worst.series.metric != Metric::outcome)
    out += "- The machine: old and new ran in turn on the same one, so what slows it slows both\n";
  if (facts.libraries_known && facts.libraries.empty()) out += "- The libraries: both builds bring the same ones\n";
  if (!facts.libraries.empty()) open += "- Libraries of the builds: " + escaped(facts.libraries, 1000) + "\n";
  const bool confirmed = facts.suspects.size() == 1 && !facts.answers.empty();
  if (confirmed && worst.series.metric != Metric::outcome) {
    out += "- How the nightlies were built: the culprit and its parent, built from source alike, differ as well\n";
  }
  std::string text;
  if (!out.empty()) text += "\nRuled out:\n\n" + out;
  if (!open.empty()) text += "\nNot ruled out:\n\n" + open;
  return text;
}

}  // namespace

std::string search_section(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  std::string text = "### How it was found\n\n" + nights_text(facts) + commits_text(facts);
  if (!facts.runner.empty()) text += fmt::format("- Runner: {}\n", inline_code(facts.runner, 100));
  return text + answers_text(facts) + ruled_out_text(facts, affected.front());
}

}  // namespace tbci::github
