// Each improvement that had to be found, with its commit; none without a cause; and what is said to have ended a
// regression.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr double expected_gain = 0.10;          // from here on a step to the better has to be found ...
constexpr double shown_gain = 0.08;             // ... where the nights around it show so much of it
constexpr double caused_gain = 0.035;           // less is not a cause
constexpr double gain_of_commit = 0.02;         // that a named commit must have brought
constexpr double caused_leak = 256;             // bytes an iteration
constexpr std::size_t nights_of_gain = 3;       // that it lasts, at the least
constexpr std::size_t nights_to_attribute = 8;  // after it; regressions go first

double less_by(double share) {
  return -std::log1p(-share);
}

struct Gain {
  const model::Improvement* improvement = nullptr;
  std::string night;
  std::size_t old_commit = 0, new_commit = 0, measured = 0;
  Aspect aspect = Aspect::time;
  std::vector<std::size_t> suspects;
};

class ImprovementsJudge {
 public:
  ImprovementsJudge(const Years& years, const Facts& facts, Judgement& judgement)
      : years_(years), history_(years.history()), facts_(facts), judgement_(judgement) {}

  Status read() {
    for (const KeptImprovement& kept : facts_.improvements) {
      TBCI_ASSIGN(Gain gain, gain_of(kept));
      gains_.push_back(std::move(gain));
    }
    return {};
  }

  void judge_changes() {
    for (const Change& change : history_.changes()) judge(change);
  }

  void judge_gains() {
    judgement_.figures.improvements = static_cast<int>(gains_.size());
    for (const Gain& gain : gains_) {
      const bool leak = gain.aspect == Aspect::leak;
      const double less = history_.level(gain.old_commit, gain.measured, gain.aspect) -
                          history_.level(gain.new_commit, gain.measured, gain.aspect);
      if (less < (leak ? caused_leak : less_by(caused_gain)))
        complain(Wrong::gain_no_cause, gain, fmt::format("{:+.1f}%", 100 * std::expm1(-less)));
      const bool right = gain.suspects.empty() || std::ranges::any_of(gain.suspects, [&](std::size_t suspect) {
                           return -history_.effect(suspect, gain.measured, gain.aspect) >=
                                  (leak ? caused_leak / 2 : less_by(gain_of_commit));
                         });
      if (!right) complain(Wrong::gain_wrong_commit, gain, "a commit that made it better");
      if (is_late(gain)) complain(Wrong::gain_waits, gain, "a search that ended");
    }
  }

  // A commit that says that it takes the culprit back is the one that ended what it ended.
  void judge_endings() {
    for (const KnownEnding& ending : facts_.endings) {
      const auto told = std::ranges::find_if(
          facts_.told, [&](const Told& one) { return one.regression.id == ending.ending.regression_id; });
      if (told == facts_.told.end()) continue;
      if (told->regression.standing != model::Standing::recovered) continue;
      ++judgement_.figures.endings;
      const std::string came = ending.ending.revert_commit.empty() ? "no revert" : ending.ending.revert_commit;
      if (ending.ending.revert_commit != expected_revert(*told, ending))
        judgement_.complaints.push_back({.wrong = Wrong::wrong_ending,
                                         .night = ending.night,
                                         .series = to_string(told->regression.finding.series),
                                         .expected = "revert " + expected_revert(*told, ending),
                                         .came = came});
      if (!came.empty() && !ending.ending.revert_commit.empty()) ++judgement_.figures.reverts;
      const auto gain = std::ranges::find_if(
          gains_, [&](const Gain& one) { return std::optional(one.improvement->id) == ending.ending.improvement_id; });
      if (gain != gains_.end() && gain->suspects.size() == 1) ++judgement_.figures.attributed_endings;
    }
  }

 private:
  Result<Gain> gain_of(const KeptImprovement& kept) const {
    const model::Improvement& improvement = kept.improvement;
    const auto* before = history_.nightly(improvement.old_build);
    const auto* after = history_.nightly(kept.night);
    const auto measured = history_.case_of(improvement.finding.series.measured_case());
    const auto aspect = aspect_of(improvement.finding.series.metric);
    if (before == nullptr || after == nullptr || !measured || !aspect)
      return fail(ErrorKind::failed, "an improvement of what does not exist: {}", improvement.old_build);
    Gain gain{.improvement = &improvement,
              .night = kept.night,
              .old_commit = before->commit,
              .new_commit = after->commit,
              .measured = *measured,
              .aspect = *aspect,
              .suspects = {}};
    for (const std::string& suspect : improvement.suspects) {
      const auto commit = history_.index_of(suspect);
      if (!commit) return fail(ErrorKind::failed, "the program speaks of '{}', which does not exist", suspect);
      gain.suspects.push_back(*commit);
    }
    return gain;
  }

  // Where the nights around the change show it beyond doubt, and there was time enough afterwards.
  bool had_to_be_found(const Change& change) const {
    const bool asked = change.aspect == Aspect::time || change.aspect == Aspect::memory;
    if (!asked || change.amount > -less_by(expected_gain) + 1e-9) return false;
    const auto& checked = facts_.checked;
    const auto first = std::ranges::find_if(checked, [&](const Checked& one) { return one.commit >= change.commit; });
    const auto at = static_cast<std::size_t>(first - checked.begin());
    if (at == 0 || at + nights_to_attribute > checked.size()) return false;
    const auto runs = [&](std::size_t commit) {
      return history_.outcome(commit, change.measured) == model::Outcome::done;
    };
    const std::size_t before = checked[at - 1].commit;
    if (!runs(before)) return false;
    for (std::size_t i = at; i < at + nights_of_gain; ++i) {
      const double less = history_.level(before, change.measured, change.aspect) -
                          history_.level(checked[i].commit, change.measured, change.aspect);
      if (!runs(checked[i].commit) || less < less_by(shown_gain)) return false;
    }
    const model::Case& measured = history_.cases()[change.measured];
    return !is_muted(years_.diary(), {measured.benchmark, measured.configuration, metric_of(change.aspect)},
                     std::span(checked).subspan(at, nights_of_gain));
  }

  void judge(const Change& change) {
    if (!had_to_be_found(change)) return;
    Tally& tally = judgement_.gains[change.kind];
    ++tally.expected;
    std::vector<const Gain*> ours;
    for (const Gain& gain : gains_) {
      if (gain.measured == change.measured && gain.aspect == change.aspect && gain.old_commit < change.commit &&
          change.commit <= gain.new_commit)
        ours.push_back(&gain);
    }
    const model::Case& measured = history_.cases()[change.measured];
    const model::Series series{measured.benchmark, measured.configuration, metric_of(change.aspect)};
    const std::string what = fmt::format("{:+.1f}% at {}", 100 * std::expm1(change.amount),
                                         history_.commits()[change.commit].id.substr(0, 10));
    if (ours.empty()) {
      ++tally.missed;
      judgement_.complaints.push_back(
          {.wrong = Wrong::gain_missed, .night = "", .series = to_string(series), .expected = what, .came = "nothing"});
      return;
    }
    ++(ours.size() > 1 ? tally.twice : tally.once);
    if (ours.size() > 1) complain(Wrong::gain_twice, *ours.back(), what);
    const Gain& gain = *ours.front();
    ++(gain.suspects.size() == 1 ? tally.exact : gain.suspects.empty() ? tally.without : tally.among);
    if (gain.suspects.size() != 1 && can_be_found(gain, change)) complain(Wrong::gain_no_commit, gain, what);
  }

  bool can_be_found(const Gain& gain, const Change& change) const {
    std::size_t parent = change.commit - 1;
    while (parent > 0 && !history_.is_compiled(parent)) --parent;
    const auto runs = [&](std::size_t commit) {
      return history_.building(commit) == Building::works &&
             history_.outcome(commit, change.measured) == model::Outcome::done;
    };
    return runs(gain.old_commit) && runs(parent) && runs(change.commit) && runs(gain.new_commit) &&
           gain.improvement->state != model::ImprovementState::confirmed;
  }

  // Still to be searched, many nights later.
  bool is_late(const Gain& gain) const {
    if (gain.improvement->state != model::ImprovementState::confirmed) return false;
    const auto after =
        std::ranges::count_if(facts_.checked, [&](const Checked& one) { return one.commit > gain.new_commit; });
    return static_cast<std::size_t>(after) >= nights_to_attribute;
  }

  // Among the commits of the days in which it went away; empty: none takes a suspect back.
  std::string expected_revert(const Told& told, const KnownEnding& ending) const {
    const auto* since = history_.nightly(ending.since);
    const auto* gone = history_.nightly(ending.night);
    if (since == nullptr || gone == nullptr) return "";
    for (std::size_t i = gone->commit; i > since->commit; --i) {
      const std::string& taken = history_.reverted_by(i);
      if (taken.empty()) continue;
      const auto& suspects = told.regression.suspects;
      if (std::ranges::find(suspects, taken) != suspects.end()) return history_.commits()[i].id;
    }
    return "";
  }

  void complain(Wrong wrong, const Gain& gain, std::string expected) {
    std::string came = fmt::format("{:+.1f}% since {}, {}", 100 * gain.improvement->finding.change,
                                   gain.improvement->old_build, to_string(gain.improvement->state));
    for (const std::string& suspect : gain.improvement->suspects) came += " " + suspect.substr(0, 10);
    if (!gain.improvement->reason.empty()) came += ": " + gain.improvement->reason;
    judgement_.complaints.push_back({.wrong = wrong,
                                     .night = gain.night,
                                     .series = to_string(gain.improvement->finding.series),
                                     .expected = std::move(expected),
                                     .came = std::move(came)});
  }

  const Years& years_;
  const History& history_;
  const Facts& facts_;
  Judgement& judgement_;
  std::vector<Gain> gains_;
};

}  // namespace

Status judge_improvements(Years& years, const Facts& facts, Judgement& judgement) {
  ImprovementsJudge judge(years, facts, judgement);
  TBCI_TRY(judge.read());
  judge.judge_endings();
  if (!years.config().detect.improvements) return {};
  judge.judge_changes();
  judge.judge_gains();
  return {};
}

}  // namespace tbci::thousand
