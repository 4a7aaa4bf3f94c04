#include "github/report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "github/breaks_section.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

using model::Metric;

// Limits of the sections, so that the table can use most of the body.
constexpr std::size_t most_suspects_bytes = 10'000;
constexpr std::size_t most_secondary_bytes = 6'000;
constexpr std::size_t most_answers_bytes = 8'000;
constexpr std::size_t most_commands_bytes = 8'000;
constexpr std::size_t most_facts_bytes = 8'000;
constexpr std::size_t short_commit = 10;

struct Lines {
  std::string text;
  std::size_t left_out = 0;
};

// As many whole lines as fit.
Lines lines_within(const std::vector<std::string>& lines, std::size_t most_bytes) {
  Lines kept;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (kept.text.size() + lines[i].size() + 1 > most_bytes) {
      kept.left_out = lines.size() - i;
      break;
    }
    kept.text += lines[i] + "\n";
  }
  return kept;
}

bool is_leak(Metric metric) {
  return metric == Metric::cpu_leak || metric == Metric::gpu_leak;
}

std::string value_text(Metric metric, double value) {
  return std::isfinite(value) ? model::readable(metric, value) : "?";
}

std::string change_text(double change) {
  if (std::isnan(change)) return "?";
  if (std::isinf(change)) return change > 0 ? "from nothing" : "to nothing";
  return human_change(change);
}

std::string interval_text(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return "-";
  return fmt::format("{} to {}", human_change(low), human_change(high));
}

// Only a URL without Markdown syntax becomes a link.
bool is_plain_web_address(std::string_view address) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:%";
  return (address.substr(0, 8) == "https://" || address.substr(0, 7) == "http://") && address.size() <= 300 &&
         address.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_commit(std::string_view id) {
  return id.size() >= 7 && id.size() <= 64 && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string commit_text(const ReportFacts& facts, const std::string& id) {
  if (!is_commit(id)) return inline_code(id, 64);
  std::string code = inline_code(id.substr(0, short_commit));
  if (!is_plain_web_address(facts.web)) return code;
  const std::string_view base(facts.web.data(), facts.web.find_last_not_of('/') + 1);
  return fmt::format("[{}]({}/commit/{})", code, base, id);
}

std::string author_text(const model::Commit& commit) {
  return commit.author.empty() ? "an unnamed author" : escaped(commit.author, 100);
}

std::string where_text(const model::Series& series) {
  if (series.benchmark.ends_with('*')) return escaped(named_suite(series.benchmark), 100);
  return fmt::format("{} ({})", escaped(series.benchmark, 100), model::to_string(series.configuration));
}

std::string culprit_text(const ReportFacts& facts) {
  const std::string reason = facts.reason.empty() ? "" : ": " + escaped(facts.reason, 400);
  if (facts.suspects.empty()) return "No culprit was found" + reason;
  if (facts.suspects.size() > 1)
    return fmt::format("The culprit is one of {} commits that cannot be told apart{}", facts.suspects.size(), reason);
  const model::Commit& culprit = facts.suspects.front();
  return fmt::format("The culprit is commit {} by {}, {}: {}", commit_text(facts, culprit.id), author_text(culprit),
                     to_date(culprit.time), inline_code(culprit.subject));
}

// The values are those of a comparison of the ends. A search by hand for a series that was named compared none.
bool has_values(const model::Finding& finding) {
  return finding.before != 0 || finding.after != 0;
}

// `is 31% slower`, `needs 12% more CPU memory`, `leaks 4 KiB/iteration`
std::string predicate(const model::Finding& finding) {
  switch (finding.series.metric) {
    case Metric::time:
      return "is " + headline(finding, false);
    case Metric::cpu_memory:
    case Metric::gpu_memory:
    case Metric::gpu_reserved:
      return "needs " + headline(finding, false);
    case Metric::instructions:
      return "executes " + headline(finding, false);
    case Metric::cpu_leak:
    case Metric::gpu_leak:
    case Metric::outcome:
      return headline(finding, false);
  }
  TBCI_ASSERT(false);
}

std::string row(const model::Finding& finding) {
  const model::Series& series = finding.series;
  const bool is_break = series.metric == Metric::outcome;
  const auto cell = [&](double value) { return has_values(finding) ? value_text(series.metric, value) : "-"; };
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", escaped(series.benchmark, 100),
                     model::to_string(series.configuration), escaped(model::to_string(series.metric)),
                     cell(finding.before), cell(finding.after), is_break ? "-" : change_text(finding.change),
                     is_break ? "-" : interval_text(finding.low, finding.high),
                     finding.pairs > 0 ? std::to_string(finding.pairs) : "-");
}

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

const model::FoundStep* step_at(const model::Answer& answer, const std::vector<std::string>& suspects) {
  const auto found = std::find_if(answer.steps.begin(), answer.steps.end(),
                                  [&](const auto& step) { return step.suspects == suspects && !step.repair; });
  return found == answer.steps.end() ? nullptr : &*found;
}

// The step that the report is about. It may not be the largest of its series.
const model::FoundStep* reported_step(const ReportFacts& facts, const model::Answer& answer) {
  std::vector<std::string> ids;
  for (const model::Commit& suspect : facts.suspects) ids.push_back(suspect.id);
  const model::FoundStep* reported = step_at(answer, ids);
  return reported != nullptr ? reported : step_at(answer, answer.suspects);
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
  return fmt::format("  - {}, {}: {}{}{}{}", where_text(answer.series), escaped(model::to_string(answer.series.metric)),
                     change, certainty, answer.reason.empty() ? "" : "; " + escaped(answer.reason), others);
}

// Counts that differ by less are equal: waiting threads and address layout change the count of the same work.
constexpr double same_work = 0.01;

std::string meaning_of_instructions(const model::Finding& finding) {
  if (finding.change > same_work) return "the code does more work";
  if (finding.change < -same_work) return "the code does less work";
  return "the work is the same, but instructions take longer (memory, caches, waiting, frequency)";
}

}  // namespace

std::vector<model::Finding> worst_first(std::vector<model::Finding> findings) {
  const auto size = [](const model::Finding& finding) {
    if (finding.series.metric == Metric::outcome) return HUGE_VAL;  // what does not run is worse than what is slow
    return std::isnan(finding.change) ? -HUGE_VAL : finding.change;
  };
  std::sort(findings.begin(), findings.end(), [&](const model::Finding& a, const model::Finding& b) {
    const std::tuple one(size(a), model::growth_from_nothing(a)), other(size(b), model::growth_from_nothing(b));
    return one != other ? one > other : a.series < b.series;
  });
  return findings;
}

std::string headline(const model::Finding& finding, bool one_of_several) {
  const Metric metric = finding.series.metric;
  const std::string_view up_to = one_of_several ? "up to " : "";
  if (metric == Metric::outcome) return "fails";
  if (is_leak(metric) && !has_values(finding)) return "leaks";
  if (is_leak(metric)) return fmt::format("leaks {}{}", up_to, value_text(metric, finding.after));
  const std::string_view worse = metric == Metric::time           ? "slower"
                                 : metric == Metric::instructions ? "more instructions"
                                 : metric == Metric::cpu_memory   ? "more CPU memory"
                                 : metric == Metric::gpu_reserved ? "more reserved GPU memory"
                                                                  : "more GPU memory";
  if (!std::isfinite(finding.change)) return std::string(worse);
  const double percent = finding.change * 100;
  return fmt::format("{}{:.{}f}% {}", up_to, percent, std::abs(percent) < 9.95 ? 1 : 0, worse);
}

std::string summary_section(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  std::set<std::string> benchmarks;
  for (const model::Finding& finding : affected) benchmarks.insert(finding.series.benchmark);
  const model::Finding& worst = affected.front();
  const Metric metric = worst.series.metric;
  const bool broke = metric == Metric::outcome;
  std::string text = fmt::format("{} of **{}** {}", counted(benchmarks.size(), "benchmark"),
                                 escaped(facts.subject, 100), broke ? "broke" : "regressed");
  if (!facts.night.empty()) text += fmt::format(" in nightly {}", inline_code(facts.night, 100));
  if (broke) {
    const std::string reason =
        worst.reason.empty() ? "" : ": " + escaped(worst.reason, 500);  // none of a search by hand
    return text + fmt::format(".\n\n- {} {}{}.\n- {}.\n", where_text(worst.series), break_headline(facts, worst.series),
                              reason, culprit_text(facts));
  }
  const std::string values = has_values(worst) ? fmt::format(", from {} to {}", value_text(metric, worst.before),
                                                             value_text(metric, worst.after))
                                               : "";
  return text + fmt::format(".\n\n- {}{} {}{}.\n- {}.\n", affected.size() > 1 ? "Worst: " : "",
                            where_text(worst.series), predicate(worst), values, culprit_text(facts));
}

std::string suspects_section(const ReportFacts& facts) {
  if (facts.suspects.size() < 2) return "";
  std::vector<std::string> lines;
  for (const model::Commit& suspect : facts.suspects) {
    lines.push_back(fmt::format("- {} by {} ({}), {}", commit_text(facts, suspect.id), author_text(suspect),
                                to_date(suspect.time), inline_code(suspect.subject)));
  }
  const Lines kept = lines_within(lines, most_suspects_bytes);
  std::string text = "Suspects:\n\n" + kept.text;
  if (kept.left_out > 0) text += fmt::format("- and {} more\n", kept.left_out);
  return text;
}

std::string table_section(const std::vector<model::Finding>& affected, std::size_t most_bytes) {
  const std::string head =
      "| benchmark | configuration | metric | before | after | change | interval | pairs |\n"
      "| --- | --- | --- | ---: | ---: | ---: | --- | ---: |\n";
  constexpr std::size_t room_for_note = 100;
  std::vector<std::string> rows;
  for (const model::Finding& finding : affected) rows.push_back(row(finding));
  const std::size_t taken = head.size() + room_for_note;
  const Lines kept = lines_within(rows, most_bytes > taken ? most_bytes - taken : 0);
  std::string text = head + kept.text;
  if (kept.left_out > 0) text += fmt::format("\n{} of {} rows are omitted.\n", kept.left_out, rows.size());
  return text;
}

std::string secondary_section(const ReportFacts& facts) {
  std::vector<std::string> lines;
  for (const model::Finding& finding : facts.secondary) {
    if (!std::isfinite(finding.change) || finding.pairs == 0) continue;
    const Metric metric = finding.series.metric;
    lines.push_back(fmt::format("- {}: from {} to {} ({}, interval {}){}", where_text(finding.series),
                                value_text(metric, finding.before), value_text(metric, finding.after),
                                change_text(finding.change), interval_text(finding.low, finding.high),
                                metric == Metric::instructions ? ": " + meaning_of_instructions(finding) : ""));
  }
  if (!facts.libraries.empty()) lines.push_back("- Libraries of the builds: " + escaped(facts.libraries, 1000));
  if (lines.empty()) return "";
  const Lines kept = lines_within(lines, most_secondary_bytes);
  std::string text = "### Secondary metrics and libraries\n\n" + kept.text;
  if (kept.left_out > 0) text += fmt::format("- and {} more\n", kept.left_out);
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

std::string search_section(const ReportFacts& facts) {
  std::string text = "### How tbci found it\n\n";
  if (!facts.night.empty()) {
    text +=
        fmt::format("- Nightly {} compared with {}\n", inline_code(facts.night, 100), inline_code(facts.baseline, 100));
    if (!facts.bad_nightly.empty()) {
      text += fmt::format("- Nightly {} has the change already, so the search ended there\n",
                          inline_code(facts.bad_nightly, 100));
    }
    text += skipped_text(facts.skipped);
  }
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
  if (!facts.runner.empty()) text += fmt::format("- Runner: {}\n", inline_code(facts.runner, 100));
  if (facts.answers.empty()) return text;
  std::vector<std::string> lines;
  for (const model::Answer& answer : facts.answers) lines.push_back(answer_line(facts, answer));
  const Lines kept = lines_within(lines, most_answers_bytes);
  text += facts.suspects.size() == 1 ? "- The culprit compared with its parent:\n" : "- Result of the search:\n";
  text += kept.text;
  if (kept.left_out > 0) text += fmt::format("  - and {} more\n", kept.left_out);
  return text;
}

std::string reproduction_section(const ReportFacts& facts) {
  if (facts.commands.empty()) return "";
  std::vector<std::string> lines;
  for (const auto& command : facts.commands) {
    std::vector<std::string> words;
    for (const std::string& argument : command) words.push_back(shell_quoted(argument));
    lines.push_back(join(words, " "));
  }
  Lines kept = lines_within(lines, most_commands_bytes);
  if (kept.left_out > 0) kept.text += fmt::format("# {} omitted\n", counted(kept.left_out, "command"));
  return "### How to reproduce\n\n" + code_block(kept.text, "sh");
}

std::string environment_section(const ReportFacts& facts) {
  if (facts.environment.empty()) return "";
  std::vector<std::string> lines;
  for (const auto& [name, value] : facts.environment) {
    lines.push_back(fmt::format("| {} | {} |", escaped(name, 60), escaped(value, 200)));
  }
  const Lines kept = lines_within(lines, most_facts_bytes);
  std::string text = "<details>\n<summary>Environment</summary>\n\n| fact | value |\n| --- | --- |\n" + kept.text;
  if (kept.left_out > 0) text += fmt::format("\n{} omitted.\n", counted(kept.left_out, "fact"));
  return text + "\n</details>\n";
}

}  // namespace tbci::github
