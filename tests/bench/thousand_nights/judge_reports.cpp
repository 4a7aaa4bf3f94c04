// Each report: whether it has a cause, names the right commit, says what it counts as saying, and arrives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "github/markdown.hpp"
#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr double least_cause = 0.035;  // half of the threshold: what is less is not a cause
constexpr double threshold = 0.07;
constexpr double least_leak = 256;         // bytes an iteration, half of the floor
constexpr double least_of_culprit = 0.02;  // that a named commit must have changed ...
constexpr double least_of_crept = 0.005;   // ... and one that a creep is made of
constexpr double least_leak_of_culprit = 200;
constexpr double least_more_failing = 0.2;  // share of the processes: a case that fails now and then may break for good
constexpr double least_share_of_cause = 0.5;  // that several suspects must have changed together
constexpr int days_to_arrive = 5;

struct Cause {
  double change = 0;  ///< of the truth: a fraction, or bytes for leaks
  bool broken = false;
};

bool fails_more(const History& history, std::size_t measured, std::size_t from, std::size_t to) {
  return history.failing_share(to, measured) > history.failing_share(from, measured) + least_more_failing;
}

Cause cause_of(const History& history, const Told& told) {
  const bool fails =
      told.aspect == Aspect::outcome && fails_more(history, told.measured, told.old_commit, told.new_commit);
  const auto between = [&](std::size_t from, std::size_t to) {
    return history.level(to, told.measured, told.aspect) - history.level(from, told.measured, told.aspect);
  };
  double change = between(told.old_commit, told.new_commit);
  if (told.regression.step > 0) {  // one of several commits: what that one did
    change = 0;
    for (const std::size_t suspect : told.suspects)
      change = std::max(change, history.effect(suspect, told.measured, told.aspect));
  }
  return {told.aspect == Aspect::leak ? change : std::expm1(change), fails};
}

bool has_part(const History& history, const Told& told, std::size_t suspect) {
  const double effect = history.effect(suspect, told.measured, told.aspect);
  const double least = told.crept ? least_of_crept : least_of_culprit;
  if (told.aspect == Aspect::outcome) return suspect > 0 && fails_more(history, told.measured, suspect - 1, suspect);
  return effect >= (told.aspect == Aspect::leak ? least_leak_of_culprit : std::log1p(least));
}

// Small steps of which none can be told from the others, as where the case does not run between them.
bool have_it_together(const History& history, const Told& told, const Cause& cause) {
  if (told.aspect == Aspect::outcome) return false;
  double sum = 0;
  for (const std::size_t suspect : told.suspects) sum += history.effect(suspect, told.measured, told.aspect);
  return (told.aspect == Aspect::leak ? sum : std::expm1(sum)) >= least_share_of_cause * cause.change;
}

// The commits between that changed the series, and by how much.
std::string truth_between(const History& history, const Told& told) {
  std::string text;
  for (std::size_t i = told.old_commit + 1; i <= told.new_commit; ++i) {
    const double effect = history.effect(i, told.measured, told.aspect);
    if (effect == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", history.commits()[i].id.substr(0, 10),
                        told.aspect == Aspect::leak ? fmt::format("{:+.0f} B", effect)
                                                    : fmt::format("{:+.1f}%", 100 * std::expm1(effect)));
  }
  return text.empty() ? "nothing changed" : text;
}

std::string text_of(const History& history, const Told& told) {
  std::string text = fmt::format("{:+.1f}% since {}", 100 * told.regression.finding.change, told.regression.old_build);
  if (told.suspects.empty()) return text + ", no culprit: " + told.regression.reason;
  for (const std::size_t suspect : told.suspects) text += " " + history.commits()[suspect].id.substr(0, 10);
  return text;
}

class ReportsJudge {
 public:
  ReportsJudge(const Years& years, const Facts& facts, Judgement& judgement)
      : years_(years), history_(years.history()), facts_(facts), judgement_(judgement) {}

  void judge(const Told& told) {
    ++judgement_.figures.regressions;
    const Cause cause = cause_of(history_, told);
    const bool leak = told.aspect == Aspect::leak;
    const bool caused = cause.broken || cause.change >= (leak ? least_leak : least_cause);
    if (caused && !cause.broken && !leak && cause.change < threshold) ++judgement_.figures.below_threshold;
    if (!caused) complain(Wrong::no_cause, told, truth_between(history_, told));
    const bool right =
        told.suspects.empty() || have_it_together(history_, told, cause) ||
        std::ranges::any_of(told.suspects, [&](std::size_t suspect) { return has_part(history_, told, suspect); });
    if (caused && !right) complain(Wrong::wrong_culprit, told, truth_between(history_, told));
    if (told.regression.report_id) judge_text(told);
  }

  void judge_arrivals() {
    const TimePoint end = midnight_of(history_.nightlies().back().day + 6);
    for (const auto& [id, report] : facts_.reports) {
      ++judgement_.figures.reports;
      const auto told = std::ranges::find_if(
          facts_.told, [&](const Told& one) { return one.regression.report_id == std::optional(id); });
      const auto issue = years_.diary().issues.find(report.marker);
      const bool arrived = issue != years_.diary().issues.end() && issue->second.revision >= report.revision;
      if (told == facts_.told.end() || arrived) continue;
      const auto record = years_.diary().nights.find(told->night);
      const bool had_time =
          record != years_.diary().nights.end() && record->second.ended + std::chrono::days(days_to_arrive) < end;
      if (had_time) complain(Wrong::not_delivered, *told, "an issue");
    }
  }

 private:
  void judge_text(const Told& told) {
    const auto report = facts_.reports.find(*told.regression.report_id);
    if (report == facts_.reports.end()) return;
    const std::string& body = report->second.body;
    const model::Series& series = told.regression.finding.series;
    const std::string row = fmt::format("| {} | {} | {} |", github::escaped(series.benchmark, 100),
                                        to_string(series.configuration), github::escaped(to_string(series.metric)));
    if (body.find(row) == std::string::npos)
      complain(Wrong::not_in_text, told, "a row of it in the issue \"" + report->second.title + "\"");
    // Others may have the same reason, so the text is looked for and not its place.
    const std::string reason = github::escaped(told.regression.reason, 400);
    if (told.suspects.empty() && body.find(reason) == std::string::npos)
      complain(Wrong::not_in_text, told, "its reason in the issue \"" + report->second.title + "\"");
  }

  void complain(Wrong wrong, const Told& told, std::string expected) {
    judgement_.complaints.push_back({.wrong = wrong,
                                     .night = told.night,
                                     .series = to_string(told.regression.finding.series),
                                     .expected = std::move(expected),
                                     .came = text_of(history_, told)});
  }

  const Years& years_;
  const History& history_;
  const Facts& facts_;
  Judgement& judgement_;
};

}  // namespace

void judge_reports(const Years& years, const Facts& facts, Judgement& judgement) {
  ReportsJudge judge(years, facts, judgement);
  for (const Told& told : facts.told) judge.judge(told);
  judge.judge_arrivals();
}

}  // namespace tbci::thousand
