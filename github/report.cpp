#include "github/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "github/breaks_section.hpp"
#include "github/culprit_links.hpp"
#include "github/environment_section.hpp"
#include "github/hints_section.hpp"
#include "github/history_section.hpp"
#include "github/markdown.hpp"
#include "github/operators_section.hpp"
#include "github/recovery_section.hpp"
#include "github/report_title.hpp"
#include "github/report_words.hpp"
#include "github/reproduction_section.hpp"
#include "github/search_section.hpp"
#include "github/step_section.hpp"
#include "github/summary_section.hpp"
#include "github/table_section.hpp"

namespace tbci::github {

namespace {

// A part of the body below the table, and how much it would be missed: the least goes first where not all fit.
struct Part {
  std::string text;
  int worth = 0;
};

std::size_t length_of(const std::vector<Part>& parts) {
  std::size_t sum = 0;
  for (const Part& part : parts) sum += part.text.empty() ? 0 : part.text.size() + 1;
  return sum;
}

std::string text_of(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    if (!part.text.empty()) text += "\n" + part.text;
  }
  return text;
}

// Takes the least worthy parts away, until the others have room. Returns those, in the same order.
std::vector<Part> take_beyond(std::vector<Part>& parts, std::size_t most_bytes) {
  std::vector<Part> taken(parts.size());
  while (length_of(parts) > most_bytes) {
    const auto filled = [](const Part& part) {
      return part.text.empty() ? std::numeric_limits<int>::max() : part.worth;
    };
    const auto least = std::ranges::min_element(parts, {}, filled);
    std::swap(*least, taken[static_cast<std::size_t>(least - parts.begin())]);
  }
  return taken;
}

// The body's parts below the table, in the order in which a reader needs them.
std::vector<Part> parts_of(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  return {{breaks_section(facts), 9},
          {history_section(facts), 3},
          {facts.step ? step_section(*facts.step) : "", 8},
          {operators_section(facts), 8},
          {facts.hints ? hints_section(*facts.hints) : "", 6},
          {secondary_section(facts), 4},
          {search_section(facts, affected), 7},
          {reproduction_section(facts), 5},
          {environment_section(facts), 2},
          {builds_section(facts), 1}};
}

// The table has this much of the body at least.
constexpr std::size_t least_table_bytes = 4'000;

// What the body has no room for: a part that is too long even for this is left out.
std::string rest_of(const ReportFacts& facts, const std::vector<model::Finding>& affected, std::vector<Part> parts,
                    bool table_is_cut) {
  const std::string head = "The rest of the report, for which its text has no room.\n";
  const std::string table_head = "\n### All rows\n\n";
  const std::size_t room = longest_body_bytes - head.size() - table_head.size();
  take_beyond(parts, table_is_cut ? room / 2 : room);
  std::string text = text_of(parts);
  if (table_is_cut) text = table_head + table_section(facts, affected, room - text.size()) + text;
  return text.empty() ? "" : head + text;
}

struct Text {
  std::string body, rest;
};

Text text_of(const ReportFacts& facts, const std::vector<model::Finding>& affected, std::string_view marker) {
  const std::string suspects = suspects_section(facts);
  const std::string head = summary_section(facts, affected) + "\n" + (suspects.empty() ? "" : suspects + "\n");
  const std::string end =
      fmt::format("\nWritten by tbci at {}.\n\n{}\n", to_iso8601(facts.generated), marker_comment(marker));
  const std::string_view more = "\nThis text is as long as GitHub lets an issue be. The rest is below.\n";
  std::vector<Part> parts = parts_of(facts, affected);
  const std::size_t room = longest_body_bytes - head.size() - end.size() - more.size();
  std::vector<Part> taken = take_beyond(parts, room - least_table_bytes);
  const std::string whole = table_section(facts, affected, std::numeric_limits<std::size_t>::max());
  const std::string table = table_section(facts, affected, room - length_of(parts));
  const std::string rest = rest_of(facts, affected, std::move(taken), table != whole);
  return {head + table + text_of(parts) + (rest.empty() ? "" : std::string(more)) + end, rest};
}

std::vector<std::string> labels_of(const ReportFacts& facts) {
  const auto is_break = [](const model::Finding& one) { return one.series.metric == model::Metric::outcome; };
  std::vector<std::string> labels = {std::string(report_label)};
  if (std::ranges::any_of(facts.affected, is_break)) labels.emplace_back("break");
  if (!std::ranges::all_of(facts.affected, is_break)) labels.emplace_back("performance");
  labels.insert(labels.end(), facts.labels.begin(), facts.labels.end());
  return labels;
}

}  // namespace

std::string marker_of(const ReportFacts& facts) {
  if (!facts.marker.empty()) return facts.marker;
  std::set<std::string> parts;
  std::string named = facts.measured_by + '\n' + facts.subject + '\n';
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
  report.labels = labels_of(facts);
  report.created = facts.generated;
  if (facts.suspects.size() == 1) report.pull_request = pull_request_address(facts, facts.suspects.front().id);
  Text text = text_of(facts, affected, report.marker);
  report.body = std::move(text.body);
  report.rest = std::move(text.rest);
  TBCI_ASSERT(report.body.size() <= longest_body_bytes && report.rest.size() <= longest_body_bytes);
  return report;
}

}  // namespace tbci::github
