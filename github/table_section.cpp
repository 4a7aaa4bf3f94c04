#include "github/table_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

using model::Metric;

constexpr std::size_t open_rows = 10;
constexpr std::size_t most_secondary_bytes = 6'000;

// With one operator there is nothing to group by.
bool shows_operators(const ReportFacts& facts) {
  return facts.changed_most.size() > 1;
}

std::string operator_of(const ReportFacts& facts, const std::string& benchmark) {
  const auto found = facts.changed_most.find(benchmark);
  return found == facts.changed_most.end() ? "" : found->second;
}

// The sorted findings, with those of one group behind its worst one.
std::vector<model::Finding> together(std::vector<model::Finding> sorted,
                                     const std::function<std::string(const model::Finding&)>& group_of) {
  std::map<std::string, std::size_t> places;
  for (const model::Finding& finding : sorted) places.try_emplace(group_of(finding), places.size());
  std::stable_sort(sorted.begin(), sorted.end(), [&](const model::Finding& one, const model::Finding& other) {
    return places.at(group_of(one)) < places.at(group_of(other));
  });
  return sorted;
}

std::vector<model::Finding> grouped(const ReportFacts& facts, const std::vector<model::Finding>& affected) {
  auto rows = together(affected, [](const model::Finding& finding) { return finding.series.benchmark; });
  if (!shows_operators(facts)) return rows;
  return together(std::move(rows), [&](const model::Finding& finding) {
    const std::string name = operator_of(facts, finding.series.benchmark);
    // A benchmark without a profile is a group of its own. No name of an operator begins like this.
    return name.empty() ? '\n' + finding.series.benchmark : name;
  });
}

std::string table_row(const ReportFacts& facts, const model::Finding& finding) {
  const model::Series& series = finding.series;
  const bool is_break = series.metric == Metric::outcome;
  const auto cell = [&](double value) { return has_values(finding) ? value_text(series.metric, value) : "-"; };
  std::string row = fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", escaped(series.benchmark, 100),
                                model::to_string(series.configuration), escaped(model::to_string(series.metric)),
                                cell(finding.before), cell(finding.after), is_break ? "-" : change_text(finding.change),
                                is_break ? "-" : interval_text(finding.low, finding.high),
                                finding.pairs > 0 ? std::to_string(finding.pairs) : "-");
  if (!shows_operators(facts)) return row;
  const std::string name = operator_of(facts, series.benchmark);
  return row + fmt::format(" {} |", name.empty() ? "-" : escaped(name, 100));
}

std::string table_head(const ReportFacts& facts) {
  const bool operators = shows_operators(facts);
  return fmt::format("| benchmark | configuration | metric | before | after | change | interval | pairs |{}\n",
                     operators ? " operator that changed most |" : "") +
         fmt::format("| --- | --- | --- | ---: | ---: | ---: | --- | ---: |{}\n", operators ? " --- |" : "");
}

// Counts that differ by less are equal: waiting threads and address layout change the count of the same work.
constexpr double same_work = 0.01;

std::string meaning_of_instructions(const model::Finding& finding) {
  if (finding.change > same_work) return "the code does more work";
  if (finding.change < -same_work) return "the code does less work";
  return "the work is the same, but instructions take longer (memory, caches, waiting, frequency)";
}

}  // namespace

std::string table_section(const ReportFacts& facts, const std::vector<model::Finding>& affected,
                          std::size_t most_bytes) {
  const std::string head = table_head(facts);
  constexpr std::size_t room_for_frame = 200;  // the fold and the note
  std::vector<std::string> rows;
  for (const model::Finding& finding : grouped(facts, affected)) rows.push_back(table_row(facts, finding));
  const auto fold = rows.begin() + static_cast<std::ptrdiff_t>(std::min(open_rows, rows.size()));
  const std::vector<std::string> first(rows.begin(), fold), rest(fold, rows.end());
  const auto room_beside = [&](std::size_t taken) { return most_bytes > taken ? most_bytes - taken : 0; };
  const Lines open = lines_within(first, room_beside(head.size() + room_for_frame));
  std::string text = head + open.text;
  std::size_t left_out = open.left_out;
  if (open.left_out == 0 && !rest.empty()) {
    const Lines more = lines_within(rest, room_beside(text.size() + head.size() + room_for_frame));
    left_out = more.left_out;
    if (!more.text.empty()) text += "\n" + folded(counted(rest.size() - more.left_out, "more row"), head + more.text);
  } else {
    left_out += rest.size();
  }
  if (left_out > 0) text += fmt::format("\n{} of {} rows are omitted.\n", left_out, rows.size());
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
  if (lines.empty()) return "";
  const Lines kept = lines_within(lines, most_secondary_bytes);
  std::string text = "### Measured beside it\n\n" + kept.text;
  if (kept.left_out > 0) text += fmt::format("- and {} more\n", kept.left_out);
  return text;
}

}  // namespace tbci::github
