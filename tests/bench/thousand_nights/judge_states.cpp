// States that come to an end: no regression stays open long after its cause is gone, and no creep goes unseen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr std::size_t nights_of_grace = 10;
constexpr double healed = 0.02;      // what may be left of a change that is gone
constexpr double healed_leak = 200;  // bytes an iteration
constexpr double expected_creep = 0.10;
constexpr std::size_t nights_to_find_creep = 25;  // its average trails, and its case has its turn

bool is_open(model::RegressionState state) {
  static const std::set<std::string_view> ended = {"recovered", "accepted", "dismissed"};
  return !ended.contains(to_string(state));
}

// How many nights at the end of the years are without the change; those that cannot run do not count.
std::size_t nights_without(const History& history, const Facts& facts, const Told& told) {
  std::size_t nights = 0;
  for (auto night = facts.checked.rbegin(); night != facts.checked.rend(); ++night) {
    if (night->nightly <= told.nightly) break;
    if (history.outcome(night->commit, told.measured) != model::Outcome::done) continue;
    const double left = history.level(night->commit, told.measured, told.aspect) -
                        history.level(told.old_commit, told.measured, told.aspect);
    if (left > (told.aspect == Aspect::leak ? healed_leak : std::log1p(healed))) break;
    ++nights;
  }
  return nights;
}

struct Creep {
  std::size_t measured = 0;
  std::size_t first = 0, last = 0;  // commits
  double whole = 0;                 // of the logarithm
};

std::vector<Creep> creeps_of(const History& history) {
  std::map<std::size_t, Creep> by_case;
  for (const Change& change : history.changes()) {  // ascending by commit
    if (change.kind != Kind::creep) continue;
    Creep& creep = by_case.try_emplace(change.measured, Creep{change.measured, change.commit, 0, 0}).first->second;
    creep.last = change.commit;
    creep.whole += change.amount;
  }
  std::vector<Creep> all;
  for (const auto& [measured, creep] : by_case) all.push_back(creep);
  return all;
}

void judge_creep(const Years& years, const Facts& facts, const Creep& creep, Judgement& judgement) {
  if (creep.whole < std::log1p(expected_creep)) return;
  const auto after =
      std::ranges::count_if(facts.checked, [&](const Checked& night) { return night.commit >= creep.last; });
  const History& history = years.history();
  const bool runs = std::ranges::none_of(facts.checked, [&](const Checked& night) {
    return night.commit >= creep.first && history.outcome(night.commit, creep.measured) != model::Outcome::done;
  });
  if (static_cast<std::size_t>(after) < nights_to_find_creep || !runs || facts.anchors.empty()) return;
  Tally& tally = judgement.steps[Kind::creep];
  ++tally.expected;
  int reports = 0;
  for (const Told& told : facts.told) {
    const bool ours = told.measured == creep.measured && told.aspect == Aspect::time && told.crept;
    if (ours && told.new_commit > creep.first && told.regression.report_id) ++reports;
  }
  tally.once += reports > 0 ? 1 : 0;
  tally.missed += reports > 0 ? 0 : 1;
  if (reports > 0) return;
  const model::Case& measured = history.cases()[creep.measured];
  judgement.complaints.push_back(
      {.wrong = Wrong::creep_overlooked,
       .night = "",
       .series = to_string(model::Series{measured.benchmark, measured.configuration, model::Metric::time}),
       .expected =
           fmt::format("{:+.1f}% from {} to {}", 100 * std::expm1(creep.whole),
                       history.commits()[creep.first].id.substr(0, 10), history.commits()[creep.last].id.substr(0, 10)),
       .came = "no regression against the anchor"});
}

}  // namespace

void judge_states(const Years& years, const Facts& facts, Judgement& judgement) {
  for (const Told& told : facts.told) {
    if (!is_open(told.regression.state)) continue;
    const std::size_t nights = nights_without(years.history(), facts, told);
    if (nights < nights_of_grace) continue;
    judgement.complaints.push_back({.wrong = Wrong::never_ends,
                                    .night = told.night,
                                    .series = to_string(told.regression.finding.series),
                                    .expected = fmt::format("an end: it is gone since {} nights", nights),
                                    .came = std::string(to_string(told.regression.state))});
  }
  for (const Creep& creep : creeps_of(years.history())) judge_creep(years, facts, creep, judgement);
}

}  // namespace tbci::thousand
