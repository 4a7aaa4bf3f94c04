// Each step that had to be reported: once, and with its culprit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "storage/model/words.hpp"
#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr double expected_step = 0.10;  // from here on a step has to be reported
constexpr double visible_step = 0.08;   // that the nights after it must show, whatever else happened
constexpr double expected_leak = 1024;  // bytes an iteration
constexpr double visible_leak = 800;
constexpr std::size_t nights_to_show = 3;  // that a step lasts, at the least
constexpr std::size_t last_nights = 4;     // a step needs them to be found
constexpr double rounding = 1e-9;

bool is_large(const Change& change) {
  switch (change.aspect) {
    case Aspect::outcome:
      return change.outcome != model::Outcome::done;
    case Aspect::leak:
      return change.amount >= expected_leak - rounding;
    default:
      return change.amount >= std::log1p(expected_step) - rounding;
  }
}

// The first night that has the step, where the nights around it show it beyond doubt.
std::optional<std::size_t> night_that_shows(const History& history, const Facts& facts, const Change& change) {
  const auto& checked = facts.checked;
  const auto first =
      std::find_if(checked.begin(), checked.end(), [&](const Checked& night) { return night.commit >= change.commit; });
  const auto at = static_cast<std::size_t>(first - checked.begin());
  if (at == 0 || at + last_nights > checked.size()) return std::nullopt;
  const std::size_t before = checked[at - 1].commit;
  if (history.outcome(before, change.measured) != model::Outcome::done) return std::nullopt;
  for (std::size_t i = at; i < at + nights_to_show; ++i) {
    const bool works = history.outcome(checked[i].commit, change.measured) == model::Outcome::done;
    if (works != (change.aspect != Aspect::outcome)) return std::nullopt;
    if (change.aspect == Aspect::outcome) continue;
    const double shown = history.level(checked[i].commit, change.measured, change.aspect) -
                         history.level(before, change.measured, change.aspect);
    if (shown < (change.aspect == Aspect::leak ? visible_leak : std::log1p(visible_step))) return std::nullopt;
  }
  return at;
}

bool speaks_of(const Told& told, const Change& change) {
  const bool ours = told.measured == change.measured && told.aspect == change.aspect;
  if (!ours || !told.regression.report_id) return false;
  if (!told.suspects.empty()) return std::ranges::binary_search(told.suspects, change.commit);
  return !told.crept && told.old_commit < change.commit && change.commit <= told.new_commit;
}

// The commit and the one before it build and run, as do the ends of the search.
bool can_be_found(const History& history, const Told& told, const Change& change) {
  std::size_t parent = change.commit - 1;
  while (parent > 0 && !history.is_compiled(parent)) --parent;
  const auto runs = [&](std::size_t commit) {
    return history.building(commit) == Building::works &&
           history.outcome(commit, change.measured) == model::Outcome::done;
  };
  const bool broken = change.aspect == Aspect::outcome;
  const auto builds = [&](std::size_t commit) { return history.building(commit) == Building::works; };
  return runs(told.old_commit) && runs(parent) && (broken ? builds(change.commit) : runs(change.commit)) &&
         (broken ? builds(told.new_commit) : runs(told.new_commit));
}

std::string text_of(const History& history, const Change& change) {
  const std::string commit = history.commits()[change.commit].id.substr(0, 10);
  const std::string kind(to_string(change.kind));
  switch (change.aspect) {
    case Aspect::outcome:
      return fmt::format("{}: {} from {} on", kind, model::to_string(change.outcome), commit);
    case Aspect::leak:
      return fmt::format("{}: {:+.0f} B an iteration at {}", kind, change.amount, commit);
    default:
      return fmt::format("{}: {:+.1f}% at {}", kind, 100 * std::expm1(change.amount), commit);
  }
}

std::string text_of(const std::vector<const Told*>& tellings) {
  std::string text;
  for (const Told* told : tellings) {
    text += fmt::format("{}{}: {:+.1f}% since {}, {}", text.empty() ? "" : "; ", told->night,
                        100 * told->regression.finding.change, told->regression.old_build,
                        told->suspects.empty() ? "no culprit: " + told->regression.reason
                                               : fmt::format("{} suspects", told->suspects.size()));
  }
  return text;
}

class StepsJudge {
 public:
  StepsJudge(const Years& years, const Facts& facts, Judgement& judgement)
      : years_(years), history_(years.history()), facts_(facts), judgement_(judgement) {}

  void judge(const Change& change) {
    if (change.kind == Kind::creep || !is_large(change)) return;
    const auto at = night_that_shows(history_, facts_, change);
    if (!at || is_muted(change, *at)) return;
    Tally& tally = judgement_.steps[change.kind];
    ++tally.expected;
    std::vector<const Told*> tellings;
    std::set<std::int64_t> reports;
    for (const Told& told : facts_.told) {
      if (!speaks_of(told, change)) continue;
      tellings.push_back(&told);
      reports.insert(*told.regression.report_id);
    }
    const std::string night = history_.nightlies()[facts_.checked[*at].nightly].name;
    if (tellings.empty()) {
      ++tally.missed;
      complain(Wrong::missed, night, change, untold(change));
      return;
    }
    tally.again += static_cast<int>(tellings.size()) - 1;
    ++(reports.size() > 1 ? tally.twice : tally.once);
    if (reports.size() > 1) complain(Wrong::twice, night, change, text_of(tellings));
    if (reports.size() == 1 && tellings.size() > 1) complain(Wrong::found_again, night, change, text_of(tellings));
    judge_culprit(tally, *best(tellings), change);
  }

 private:
  static const Told* best(const std::vector<const Told*>& tellings) {
    return *std::ranges::min_element(tellings, {}, [](const Told* told) {
      return told->suspects.empty() ? std::size_t{1} << 20 : told->suspects.size();
    });
  }

  // On the night that shows it, or one of the two after it.
  bool is_muted(const Change& change, std::size_t at) const {
    return thousand::is_muted(years_.diary(), series_of(change), std::span(facts_.checked).subspan(at, nights_to_show));
  }

  model::Series series_of(const Change& change) const {
    const model::Case& measured = history_.cases()[change.measured];
    return {measured.benchmark, measured.configuration, metric_of(change.aspect)};
  }

  void judge_culprit(Tally& tally, const Told& told, const Change& change) {
    if (told.suspects.size() == 1) {
      ++tally.exact;
      return;
    }
    ++(told.suspects.empty() ? tally.without : tally.among);
    if (!can_be_found(history_, told, change)) return;
    complain(told.suspects.empty() ? Wrong::no_culprit : Wrong::vague_culprit, told.night, change, text_of({&told}));
  }

  // What became of it instead: a regression that is not reported, or that names others.
  std::string untold(const Change& change) const {
    for (const Told& told : facts_.told) {
      const bool near =
          told.measured == change.measured && told.old_commit < change.commit && change.commit <= told.new_commit;
      if (!near) continue;
      return fmt::format("a regression of {} ({}, {}), and no report of this", told.night,
                         to_string(told.regression.finding.series), to_string(told.regression.state));
    }
    return "nothing";
  }

  void complain(Wrong wrong, const std::string& night, const Change& change, std::string came) {
    judgement_.complaints.push_back({.wrong = wrong,
                                     .night = night,
                                     .series = to_string(series_of(change)),
                                     .expected = text_of(history_, change),
                                     .came = std::move(came)});
  }

  const Years& years_;
  const History& history_;
  const Facts& facts_;
  Judgement& judgement_;
};

}  // namespace

void judge_steps(const Years& years, const Facts& facts, Judgement& judgement) {
  StepsJudge judge(years, facts, judgement);
  for (const Change& change : years.history().changes()) judge.judge(change);
}

}  // namespace tbci::thousand
