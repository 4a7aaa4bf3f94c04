#include "github/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_lines = 30;           // of one part: a digest is read on a phone
constexpr std::size_t most_part_bytes = 12'000;  // five parts fit into a report
constexpr std::size_t most_named_cases = 10;

// `dlrm (cpu-train), time +12.0%`
std::string changed_series(const model::Finding& finding) {
  const model::Series& series = finding.series;
  if (series.metric == model::Metric::outcome)
    return fmt::format("{} ({}) fails", escaped(series.benchmark, 100), model::to_string(series.configuration));
  if (!std::isfinite(finding.change))
    return fmt::format("{} {}, from nothing", series_text(series), model::readable(series.metric, finding.after));
  return fmt::format("{} {}", series_text(series), human_change(finding.change));
}

// Addresses come from a server: only one that cannot end a link of Markdown, or begin anything else, becomes one.
bool is_page(std::string_view address) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#@!$&'*+,;=%";
  return (address.starts_with("https://") || address.starts_with("http://")) && address.size() <= 300 &&
         address.find_first_not_of(allowed) == std::string_view::npos;
}

std::string named_report(const DigestReport& report) {
  const std::string title = escaped(report.title, 200);
  return fmt::format("{} (report {})", is_page(report.page) ? fmt::format("[{}]({})", title, report.page) : title,
                     report.id);
}

std::string age(TimePoint found, TimePoint now) {
  return counted(std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::days>(now - found).count()), "day");
}

// The larger change first; what came from nothing before all others.
bool is_worse(const DigestRegression& a, const DigestRegression& b) {
  return std::abs(a.finding.change) > std::abs(b.finding.change);
}

using Group = std::vector<DigestRegression>;

// Those with one report are one line, at the place of the first of them.
std::vector<Group> by_report(const std::vector<DigestRegression>& regressions) {
  std::vector<Group> groups;
  for (const DigestRegression& one : regressions) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return one.report && group.front().report && one.report->id == group.front().report->id;
    });
    if (same != groups.end())
      same->push_back(one);
    else
      groups.push_back({one});
  }
  return groups;
}

std::string line_of(const Group& group, const DigestFacts& facts, bool with_age) {
  const DigestRegression& worst = *std::min_element(group.begin(), group.end(), is_worse);
  const DigestRegression& first =
      *std::min_element(group.begin(), group.end(), [](const auto& a, const auto& b) { return a.found < b.found; });
  std::string line = "- ";
  if (first.report) line += named_report(*first.report) + ": ";
  line += changed_series(worst.finding);
  if (group.size() > 1) line += fmt::format(", and {} more series", group.size() - 1);
  line += fmt::format("; {}, since nightly {}", escaped(first.subject, 60), inline_code(first.night, 60));
  if (with_age) line += fmt::format(", for {}", age(first.found, facts.to));
  if (!first.report) line += fmt::format("; no report yet (regression {})", first.id);
  return line;
}

std::string digest_part(std::string_view head, const std::vector<std::string>& lines, std::string_view command) {
  if (lines.empty()) return {};
  std::string text = fmt::format("### {} ({})\n\n", head, lines.size());
  std::size_t shown = 0;
  while (shown < std::min(lines.size(), most_lines) && text.size() + lines[shown].size() < most_part_bytes)
    text += lines[shown++] + "\n";
  if (shown < lines.size()) text += fmt::format("- and {} more: `{}`\n", lines.size() - shown, command);
  return text + "\n";
}

std::vector<std::string> lines_of(const std::vector<DigestRegression>& regressions, const DigestFacts& facts,
                                  bool with_age) {
  std::vector<std::string> lines;
  for (const Group& group : by_report(regressions)) lines.push_back(line_of(group, facts, with_age));
  return lines;
}

std::vector<std::string> noisy_lines(const DigestFacts& facts) {
  std::vector<std::string> lines;
  for (const DigestNoise& one : facts.noisy) {
    std::string line = fmt::format("- {}; {}: ", series_text(one.series), escaped(one.subject, 60));
    line += one.undecided > 0 ? fmt::format("{} of {} could not tell", one.undecided, counted(one.nights, "night"))
                              : "not decided yet";
    if (!one.reason.empty()) line += fmt::format(" ({})", escaped(one.reason, 120));
    if (one.waits) line += "; the next night looks again";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string cause_of(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::unsupported:
      return "unsupported here";
    case model::Outcome::out_of_memory:
      return "out of memory";
    case model::Outcome::timed_out:
      return "over their time limit";
    default:
      return "failed";
  }
}

std::vector<std::string> unmeasured_lines(const DigestFacts& facts) {
  std::vector<std::string> lines;
  for (const DigestGap& gap : facts.gaps) {
    lines.push_back(fmt::format("- nightly {}; {}: {}", inline_code(gap.name, 60), escaped(gap.subject, 60),
                                gap.reason.empty() ? "no reason is known" : escaped(gap.reason, 200)));
  }
  for (const DigestUnmeasured& one : facts.unmeasured) {
    std::vector<std::string> names;
    for (const std::string& name : one.cases) {
      if (names.size() < most_named_cases) names.push_back(escaped(name, 100));
    }
    lines.push_back(fmt::format("- {} of the latest night of {} ({}): {}{}", counted(one.cases.size(), "case"),
                                escaped(one.subject, 60), cause_of(one.outcome), join(names, ", "),
                                one.cases.size() > names.size() ? ", ..." : ""));
  }
  return lines;
}

std::string title_of(const DigestFacts& facts, std::size_t regressed, std::size_t recovered, std::size_t open) {
  return fmt::format("tbci, {} to {}: {} regressed, {} recovered, {} still open", to_date(facts.from),
                     to_date(facts.to), regressed, recovered, open);
}

}  // namespace

bool is_digest(const model::Report& report) {
  return report.labels.size() == 1 && report.labels.front() == digest_label;
}

std::string digest_marker(TimePoint time) {
  constexpr std::size_t digits = 32;
  // The ISO week is that of its Thursday.
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::sys_days thursday = day - (std::chrono::weekday(day) - std::chrono::Monday) + std::chrono::days(3);
  const std::chrono::year year = std::chrono::year_month_day(thursday).year();
  const int week = static_cast<int>((thursday - std::chrono::sys_days(year / 1 / 1)).count()) / 7 + 1;
  return sha256_hex(fmt::format("digest\n{}-W{:02}", static_cast<int>(year), week)).substr(0, digits);
}

model::Report make_digest(const DigestFacts& facts) {
  const auto regressed = lines_of(facts.regressed, facts, false);
  const auto recovered = lines_of(facts.recovered, facts, false);
  const auto open = lines_of(facts.open, facts, true);
  const std::string parts = digest_part("Regressed", regressed, "tbci regressions list") +
                            digest_part("Recovered", recovered, "tbci regressions list --all") +
                            digest_part("Still open", open, "tbci regressions list") +
                            digest_part("Not decided", noisy_lines(facts), "tbci status") +
                            digest_part("Not measured", unmeasured_lines(facts), "tbci status");
  model::Report report;
  report.marker = digest_marker(facts.to);
  report.title = title_of(facts, regressed.size(), recovered.size(), open.size());
  report.body = fmt::format("tbci judged {} of {} from {} to {} (UTC).\n\n", counted(facts.nights, "night"),
                            counted(facts.subjects, "subject"), to_date(facts.from), to_date(facts.to));
  const std::string_view nothing = facts.nights > 0
                                       ? "Nothing regressed, recovered or is open, and everything was measured.\n"
                                       : "No night was judged, and nothing recovered or is open.\n";
  report.body += parts.empty() ? nothing : std::string_view(parts);
  report.labels = {std::string(digest_label)};
  report.created = facts.to;
  return report;
}

}  // namespace tbci::github
