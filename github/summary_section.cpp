#include "github/summary_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "github/breaks_section.hpp"
#include "github/culprit_links.hpp"
#include "github/markdown.hpp"
#include "github/other_runners_section.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

using model::Metric;

constexpr std::size_t most_suspects_bytes = 10'000;

std::string others_text(const std::vector<model::Finding>& affected) {
  std::set<std::string> others;
  for (const model::Finding& finding : affected) {
    if (finding.series.benchmark != affected.front().series.benchmark) others.insert(finding.series.benchmark);
  }
  return others.empty() ? "" : fmt::format(" It also affects {}.", counted(others.size(), "other benchmark"));
}

// `: 15.7 ms instead of 12 ms (+31.0%, interval +29.0% to +33.0%)`
std::string amount_text(const model::Finding& worst) {
  std::string change = change_text(worst.change);
  if (const std::string interval = interval_text(worst.low, worst.high); interval != "-")
    change += ", interval " + interval;
  const Metric metric = worst.series.metric;
  if (!has_values(worst)) return fmt::format(": {}", change);
  return fmt::format(": {} instead of {} ({})", value_text(metric, worst.after), value_text(metric, worst.before),
                     change);
}

std::string first_sentence(const ReportFacts& facts, const model::Finding& worst) {
  const bool broke = worst.series.metric == Metric::outcome;
  std::string text = fmt::format("**{} {}**", where_text(worst.series),
                                 broke ? break_headline(facts, worst.series) : predicate(worst));
  if (!facts.night.empty()) text += fmt::format(" since nightly {}", inline_code(first_night(facts), 100));
  text += fmt::format(" of {}", escaped(facts.subject, 100));
  if (!broke) return text + amount_text(worst) + ".";
  // A search by hand has no reason.
  return text + (worst.reason.empty() ? "." : ": " + escaped(worst.reason, 500) + ".");
}

std::string culprit_line(const ReportFacts& facts) {
  const std::string reason = facts.reason.empty() ? "" : ": " + escaped(facts.reason, 400);
  if (facts.suspects.empty()) return fmt::format("- No culprit was found{}.\n", reason);
  if (facts.suspects.size() > 1) {
    return fmt::format("- The culprit is one of {} commits that cannot be told apart{}.\n", facts.suspects.size(),
                       reason);
  }
  const model::Commit& culprit = facts.suspects.front();
  return fmt::format("- The culprit is commit {}{} by {}, {}: {}.\n{}", commit_text(facts, culprit.id),
                     pull_request_text(facts, culprit.id), author_text(culprit), to_date(culprit.time),
                     inline_code(culprit.subject), suspected_files_line(facts));
}

const model::Answer* answer_of(const ReportFacts& facts, const model::Series& series) {
  const auto found = std::find_if(facts.answers.begin(), facts.answers.end(),
                                  [&](const model::Answer& answer) { return answer.series == series; });
  return found == facts.answers.end() ? nullptr : &*found;
}

// How many searches name the same suspects.
std::size_t agreeing_searches(const ReportFacts& facts) {
  std::set<std::string> ours;
  for (const model::Commit& suspect : facts.suspects) ours.insert(suspect.id);
  const auto names_ours = [&](const std::vector<std::string>& suspects) {
    return std::set<std::string>(suspects.begin(), suspects.end()) == ours;
  };
  return static_cast<std::size_t>(
      std::count_if(facts.answers.begin(), facts.answers.end(), [&](const model::Answer& answer) {
        const auto steps = model::steps_of(answer);
        return std::any_of(steps.begin(), steps.end(), [&](const auto& step) { return names_ours(step.suspects); });
      }));
}

// What the certainty of the commit rests on; empty without a search.
std::string search_sureness(const ReportFacts& facts, const model::Finding& worst) {
  if (facts.suspects.empty()) return "";
  std::string text;
  const model::Answer* answer = answer_of(facts, worst.series);
  const model::FoundStep* step = answer == nullptr ? nullptr : reported_step(facts, *answer);
  if (step != nullptr && step->posterior > 0)
    text = fmt::format("the commit is {} certain", human_certainty(step->posterior));
  if (const std::size_t agreeing = agreeing_searches(facts); agreeing > 1)
    text += fmt::format("{}{} searches, each of its own series, ended there", text.empty() ? "" : ", and ", agreeing);
  if (facts.builds > 0 && !text.empty()) {
    text += fmt::format(" ({}, {})", counted(static_cast<std::size_t>(facts.builds), "build"),
                        counted(static_cast<std::size_t>(std::max(0, facts.measurements)), "measurement"));
  }
  return text;
}

std::string sureness_line(const ReportFacts& facts, const model::Finding& worst) {
  std::vector<std::string> parts;
  const bool broke = worst.series.metric == Metric::outcome;
  if (worst.pairs > 0) {
    parts.push_back(
        broke ? fmt::format("seen in {} of each build", counted(worst.pairs, "process", "processes"))
              : fmt::format("measured in {} of processes, old and new in turn", counted(worst.pairs, "pair")));
  }
  if (const std::string search = search_sureness(facts, worst); !search.empty()) parts.push_back(search);
  return parts.empty() ? "" : fmt::format("- How sure: {}.\n", join(parts, "; "));
}

std::string next_line(const ReportFacts& facts) {
  if (facts.suspects.size() == 1) {
    const std::string_view how = facts.is_heard ? "the comment `/tbci accept`" : "`tbci regressions accept`";
    const std::string wanted = fmt::format(" Where the change is wanted, {} makes it the new level.", how);
    return fmt::format("- What to do: repair or revert this commit.{}\n", facts.night.empty() ? "" : wanted);
  }
  if (!facts.suspects.empty()) return "- What to do: look at the suspects below; one of them did it.\n";
  return facts.commands.empty() ? "" : "- What to do: repeat the comparison on another machine, as described below.\n";
}

}  // namespace

std::string summary_section(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  const model::Finding& worst = affected.front();
  const std::string elsewhere =
      facts.others_series ? other_runners_lines(facts.runner, *facts.others_series, facts.others) : "";
  return fmt::format("{}{}\n\n{}{}{}{}", first_sentence(facts, worst), others_text(affected), culprit_line(facts),
                     sureness_line(facts, worst), elsewhere, next_line(facts));
}

std::string suspects_section(const ReportFacts& facts) {
  if (facts.suspects.size() < 2) return "";
  std::vector<std::string> lines;
  for (const model::Commit& suspect : facts.suspects) {
    lines.push_back(fmt::format("- {} by {} ({}), {}{}", commit_text(facts, suspect.id), author_text(suspect),
                                to_date(suspect.time), inline_code(suspect.subject),
                                pull_request_text(facts, suspect.id)));
  }
  const Lines kept = lines_within(lines, most_suspects_bytes);
  std::string text = "Suspects:\n\n" + kept.text;
  if (kept.left_out > 0) text += fmt::format("- and {} more\n", kept.left_out);
  return text;
}

}  // namespace tbci::github
