#include "github/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "github/breaks_section.hpp"
#include "github/markdown.hpp"
#include "github/operators_section.hpp"
#include "github/recovery_section.hpp"
#include "github/report_sections.hpp"

namespace tbci::github {

namespace {

// `dlrm/cpu-train`; of numbers the benchmark alone, as the metric says the rest.
std::string what_broke(const model::Finding& worst) {
  if (worst.series.metric != model::Metric::outcome || worst.series.benchmark.ends_with('*'))
    return plain_line(named_suite(worst.series.benchmark), 60);
  return fmt::format("{}/{}", plain_line(worst.series.benchmark, 60), to_string(worst.series.configuration));
}

std::string title_of(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  std::set<std::string> benchmarks;
  for (const model::Finding& finding : affected) benchmarks.insert(finding.series.benchmark);
  const model::Finding& worst = affected.front();
  std::string title = fmt::format("[tbci] {}: {}", plain_line(facts.subject, 40), what_broke(worst));
  if (benchmarks.size() > 1) title += fmt::format(" (+{} more)", benchmarks.size() - 1);
  const bool broke = worst.series.metric == model::Metric::outcome;
  title += " " + (broke ? break_headline(facts, worst.series) : headline(worst, affected.size() > 1));
  const std::string night = plain_line(facts.night, 40);
  if (facts.suspects.size() == 1) {
    const model::Commit& culprit = facts.suspects.front();
    title += fmt::format(" since {} ({})", plain_line(culprit.id.substr(0, 10)),
                         night.empty() ? to_date(culprit.time) : night);
  } else if (!facts.suspects.empty()) {
    title += fmt::format(" since one of {} commits", facts.suspects.size());
    if (!night.empty()) title += fmt::format(" ({})", night);
  } else if (!night.empty()) {
    title += fmt::format(" since {}", night);
  } else {
    title +=
        fmt::format(" between {} and {}", plain_line(facts.from.substr(0, 10)), plain_line(facts.to.substr(0, 10)));
  }
  if (broke) title += break_tail(facts, worst.series);
  return plain_line(title, longest_title_bytes);
}

}  // namespace

std::string marker_of(const ReportFacts& facts) {
  if (!facts.marker.empty()) return facts.marker;
  std::set<std::string> parts;
  std::string named = facts.runner + '\n' + facts.subject + '\n';
  if (!facts.suspects.empty()) {
    for (const model::Commit& suspect : facts.suspects) parts.insert(suspect.id);
    named += "commits\n";
  } else {
    for (const model::Finding& finding : facts.affected) parts.insert(model::to_string(finding.series));
    named += facts.night.empty() ? fmt::format("between\n{}\n{}\n", facts.from, facts.to)
                                 : fmt::format("night\n{}\n", facts.night);
  }
  for (const std::string& part : parts) named += part + '\n';
  return sha256_hex(named).substr(0, 32);
}

std::string marker_comment(std::string_view marker) {
  return fmt::format("<!-- tbci:marker:{} -->", marker);
}

// Only as a separate line: tbci escapes every other `<!--`, and a quoted issue has a prefix on each line.
bool has_marker(std::string_view body, std::string_view marker) {
  const std::string wanted = marker_comment(marker);
  for (std::size_t at = body.find(wanted); at != std::string_view::npos; at = body.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool begins = at == 0 || body[at - 1] == '\n';
    const bool ends = end == body.size() || body[end] == '\n' || body[end] == '\r';
    if (begins && ends) return true;
  }
  return false;
}

model::Report make_report(const ReportFacts& facts) {
  TBCI_ASSERT(!facts.affected.empty());
  const std::vector<model::Finding> affected = worst_first(facts.affected);
  model::Report report;
  report.subject = facts.subject;
  report.marker = marker_of(facts);
  for (const model::Commit& suspect : facts.suspects) report.culprits.push_back(suspect.id);
  report.title = title_of(facts, affected);
  const auto is_break = [](const model::Finding& one) { return one.series.metric == model::Metric::outcome; };
  report.labels = {std::string(report_label)};
  if (std::any_of(affected.begin(), affected.end(), is_break)) report.labels.emplace_back("break");
  if (!std::all_of(affected.begin(), affected.end(), is_break)) report.labels.emplace_back("performance");
  report.created = facts.generated;

  const std::string suspects = suspects_section(facts);
  const std::string head = summary_section(facts, affected) + "\n" + (suspects.empty() ? "" : suspects + "\n");
  std::string tail;
  for (const std::string& section : {breaks_section(facts), secondary_section(facts), operators_section(facts),
                                     search_section(facts), reproduction_section(facts), environment_section(facts)}) {
    if (!section.empty()) tail += "\n" + section;
  }
  tail += fmt::format("\nWritten by tbci at {}.\n\n{}\n", to_iso8601(facts.generated), marker_comment(report.marker));
  report.body = head + table_section(affected, longest_body_bytes - head.size() - tail.size()) + tail;
  TBCI_ASSERT(report.body.size() <= longest_body_bytes);
  return report;
}

}  // namespace tbci::github
