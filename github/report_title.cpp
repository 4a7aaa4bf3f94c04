#include "github/report_title.hpp"

#include <fmt/format.h>

#include <set>

#include "github/breaks_section.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

std::string case_in_title(const model::Series& series) {
  if (series.benchmark.ends_with('*')) return plain_line(named_suite(series.benchmark), 60);
  return fmt::format("{}/{}", plain_line(series.benchmark, 60), to_string(series.configuration));
}

// `since 1a2b3c4d5e`, or as near as it is known.
std::string since_in_title(const ReportFacts& facts) {
  const auto start_of = [](const std::string& commit) { return plain_line(commit.substr(0, 10)); };
  if (facts.suspects.size() == 1) return "since " + start_of(facts.suspects.front().id);
  if (!facts.suspects.empty()) return fmt::format("since one of {} commits", facts.suspects.size());
  if (!facts.night.empty()) return "since " + plain_line(first_night(facts), 40);
  return fmt::format("between {} and {}", start_of(facts.from), start_of(facts.to));
}

// The subject, and the night where nothing before named it.
std::string place_in_title(const ReportFacts& facts) {
  std::string place = plain_line(facts.subject, 40);
  if (!facts.suspects.empty() && !facts.night.empty()) place += ", " + plain_line(first_night(facts), 40);
  return place;
}

}  // namespace

std::string title_of(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  std::set<std::string> benchmarks;
  for (const model::Finding& finding : affected) benchmarks.insert(finding.series.benchmark);
  const model::Finding& worst = affected.front();
  const bool broke = worst.series.metric == model::Metric::outcome;
  std::string title =
      fmt::format("{} {}", case_in_title(worst.series), broke ? break_headline(facts, worst.series) : headline(worst));
  if (benchmarks.size() > 1) title += fmt::format(" (+{} more)", benchmarks.size() - 1);
  title += fmt::format(" {} ({})", since_in_title(facts), place_in_title(facts));
  if (broke) title += break_tail(facts, worst.series);
  return plain_line(title, longest_title_bytes);
}

}  // namespace tbci::github
