#include "github/report_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "github/breaks_section.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

using model::Metric;

constexpr std::size_t short_commit = 10;

bool is_leak(Metric metric) {
  return metric == Metric::cpu_leak || metric == Metric::gpu_leak;
}

// Only a URL without Markdown syntax becomes a link.
bool is_plain_web_address(std::string_view address) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:%";
  return (address.substr(0, 8) == "https://" || address.substr(0, 7) == "http://") && address.size() <= 300 &&
         address.find_first_not_of(allowed) == std::string_view::npos;
}

const model::FoundStep* step_at(const model::Answer& answer, const std::vector<std::string>& suspects) {
  const auto found = std::find_if(answer.steps.begin(), answer.steps.end(),
                                  [&](const auto& step) { return step.suspects == suspects && !step.repair; });
  return found == answer.steps.end() ? nullptr : &*found;
}

}  // namespace

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

bool has_values(const model::Finding& finding) {
  return finding.before != 0 || finding.after != 0;
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

const std::string& first_night(const ReportFacts& facts) {
  return facts.since.empty() ? facts.night : facts.since;
}

std::string where_text(const model::Series& series) {
  if (series.benchmark.ends_with('*')) return escaped(named_suite(series.benchmark), 100);
  return fmt::format("{} ({})", escaped(series.benchmark, 100), model::to_string(series.configuration));
}

std::string series_text(const model::Series& series) {
  return fmt::format("{}, {}", where_text(series), escaped(model::to_string(series.metric)));
}

std::string headline(const model::Finding& finding) {
  const Metric metric = finding.series.metric;
  if (metric == Metric::outcome) return "fails";
  if (is_leak(metric) && !has_values(finding)) return "leaks";
  if (is_leak(metric)) return fmt::format("leaks {}", value_text(metric, finding.after));
  const std::string_view worse = metric == Metric::time           ? "slower"
                                 : metric == Metric::instructions ? "more instructions"
                                 : metric == Metric::cpu_memory   ? "more CPU memory"
                                 : metric == Metric::gpu_reserved ? "more reserved GPU memory"
                                                                  : "more GPU memory";
  if (!std::isfinite(finding.change)) return std::string(worse);
  const double percent = finding.change * 100;
  return fmt::format("{:.{}f}% {}", percent, std::abs(percent) < 9.95 ? 1 : 0, worse);
}

std::string predicate(const model::Finding& finding) {
  switch (finding.series.metric) {
    case Metric::time:
      return "is " + headline(finding);
    case Metric::cpu_memory:
    case Metric::gpu_memory:
    case Metric::gpu_reserved:
      return "needs " + headline(finding);
    case Metric::instructions:
      return "executes " + headline(finding);
    case Metric::cpu_leak:
    case Metric::gpu_leak:
    case Metric::outcome:
      return headline(finding);
  }
  TBCI_ASSERT(false);
}

std::string_view web_base(const ReportFacts& facts) {
  if (!is_plain_web_address(facts.web)) return {};
  return std::string_view(facts.web).substr(0, facts.web.find_last_not_of('/') + 1);
}

bool is_commit(std::string_view id) {
  return id.size() >= 7 && id.size() <= 64 && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string commit_text(const ReportFacts& facts, const std::string& id) {
  if (!is_commit(id)) return inline_code(id, 64);
  std::string code = inline_code(id.substr(0, short_commit));
  const std::string_view base = web_base(facts);
  return base.empty() ? code : fmt::format("[{}]({}/commit/{})", code, base, id);
}

std::string named_commit(const model::Commit& commit) {
  std::string text = inline_code(commit.id.substr(0, 10));
  if (!commit.author.empty()) text += " by " + escaped(commit.author, 100);
  if (!commit.subject.empty()) text += ": " + inline_code(commit.subject);
  return text;
}

std::string author_text(const model::Commit& commit) {
  return commit.author.empty() ? "an unnamed author" : escaped(commit.author, 100);
}

std::string folded(std::string_view summary, std::string_view text) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n</details>\n", summary, text);
}

const model::FoundStep* reported_step(const ReportFacts& facts, const model::Answer& answer) {
  std::vector<std::string> ids;
  for (const model::Commit& suspect : facts.suspects) ids.push_back(suspect.id);
  const model::FoundStep* reported = step_at(answer, ids);
  return reported != nullptr ? reported : step_at(answer, answer.suspects);
}

}  // namespace tbci::github
