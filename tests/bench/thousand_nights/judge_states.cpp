// States that come to an end: no regression stays open long after its cause is gone, and no creep goes unseen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr std::size_t nights_of_grace = 15;  // one that is open for long is looked at every tenth
constexpr double healed = 0.02;              // what may be left of a change that is gone
constexpr double healed_leak = 200;          // bytes an iteration
constexpr double expected_creep = 0.10;
constexpr std::size_t nights_to_find_creep = 25;  // its average trails, and its case waits for its turn

// How many nights at the end of the years are without the change; those that cannot run do not count.
std::size_t nights_without(const History& history, const Facts& facts, const Told& told) {
  std::size_t nights = 0;
  for (auto night = facts.checked.rbegin(); night != facts.checked.rend(); ++night) {
    if (night->nightly <= told.nightly) break;
    const bool runs = history.outcome(night->commit, told.measured) == model::Outcome::done;
    if (!runs && told.aspect == Aspect::outcome) break;
    if (!runs) continue;
    const double left = history.level(night->commit, told.measured, told.aspect) -
                        history.level(told.old_commit, told.measured, told.aspect);
    if (left > (told.aspect == Aspect::leak ? healed_leak : std::log1p(healed))) break;
    ++nights;
  }
  return nights;
}

struct Creep {
  std::size_t measured = 0;
  std::vector<Change> steps;  // ascending by commit
};

std::vector<Creep> creeps_of(const History& history) {
  std::map<std::size_t, Creep> by_case;
  for (const Change& change : history.changes()) {
    if (change.kind != Kind::creep) continue;
    Creep& creep = by_case[change.measured];
    creep.measured = change.measured;
    creep.steps.push_back(change);
  }
  std::vector<Creep> all;
  for (auto& [measured, creep] : by_case) all.push_back(std::move(creep));
  return all;
}

// What made the case faster since the anchor, and took back nothing that came since: the anchor shows that much less.
double gained(const History& history, const Creep& creep, std::size_t from, std::size_t to) {
  std::vector<double> rises;
  double gain = 0;
  for (const Change& change : history.changes()) {
    const bool ours = change.measured == creep.measured && change.aspect == Aspect::time;
    if (!ours || change.commit <= from || change.commit > to) continue;
    if (change.amount >= 0) {
      rises.push_back(change.amount);
      continue;
    }
    const auto taken_back =
        std::ranges::find_if(rises, [&](double rise) { return std::abs(rise + change.amount) < 1e-9; });
    if (taken_back == rises.end()) gain -= change.amount;
    if (taken_back != rises.end()) rises.erase(taken_back);
  }
  return gain;
}

// By how much it shows over the anchor of the time, of the logarithm; 0 without an anchor.
double over_anchor(const History& history, const Facts& facts, const Creep& creep, const Checked& night,
                   std::size_t accepted) {
  const AnchorSet* set = anchor_of(facts, night);
  if (set == nullptr) return 0;
  const std::size_t anchor = std::max(set->commit, accepted);
  double over = -gained(history, creep, set->commit, night.commit);
  for (const Change& step : creep.steps) over += anchor < step.commit && step.commit <= night.commit ? step.amount : 0;
  return over;
}

// The nightly's commit from which on a person wants the creep of this case to be counted; 0: the anchor's.
std::size_t accepted_at(const Years& years, const Creep& creep) {
  std::size_t last = 0;
  for (const PersonsWord& word : years.diary().words) {
    const bool ours = word.anchor && word.series.metric == model::Metric::time &&
                      word.series.measured_case() == years.history().cases()[creep.measured];
    if (ours) last = std::max(last, years.history().nightly(word.nightly)->commit);
  }
  return last;
}

// What is found of it meanwhile is not reported.
bool is_muted(const Years& years, const Creep& creep, const Checked& night) {
  const model::Case& measured = years.history().cases()[creep.measured];
  return is_muted(years.diary(), {measured.benchmark, measured.configuration, model::Metric::time}, {&night, 1});
}

// The longest time, in nights that could measure it, that it was far over its anchor.
std::size_t nights_to_see(const Years& years, const Facts& facts, const Creep& creep) {
  const History& history = years.history();
  const std::size_t accepted = accepted_at(years, creep);
  std::size_t longest = 0, nights = 0;
  for (const Checked& night : facts.checked) {
    const AnchorSet* anchor = anchor_of(facts, night);
    const bool runs = history.outcome(night.commit, creep.measured) == model::Outcome::done && anchor != nullptr &&
                      history.outcome(anchor->commit, creep.measured) == model::Outcome::done;
    const bool far = over_anchor(history, facts, creep, night, accepted) >= std::log1p(expected_creep);
    nights = far && runs && !is_muted(years, creep, night) ? nights + 1 : 0;
    longest = std::max(longest, nights);
  }
  return longest;
}

void judge_creep(const Years& years, const Facts& facts, const Creep& creep, Judgement& judgement) {
  const History& history = years.history();
  const std::size_t nights = nights_to_see(years, facts, creep);
  if (nights < nights_to_find_creep) return;
  Tally& tally = judgement.steps[Kind::creep];
  ++tally.expected;
  const bool told = std::ranges::any_of(facts.told, [&](const Told& one) {
    return one.measured == creep.measured && one.aspect == Aspect::time && one.crept && one.regression.report_id &&
           one.new_commit > creep.steps.front().commit;
  });
  ++(told ? tally.once : tally.missed);
  if (told) return;
  const model::Case& measured = history.cases()[creep.measured];
  double whole = 0;
  for (const Change& step : creep.steps) whole += step.amount;
  judgement.complaints.push_back(
      {.wrong = Wrong::creep_overlooked,
       .night = "",
       .series = to_string(model::Series{measured.benchmark, measured.configuration, model::Metric::time}),
       .expected = fmt::format("{:+.1f}% from {} to {}, and {} nights to see it", 100 * std::expm1(whole),
                               history.commits()[creep.steps.front().commit].id.substr(0, 10),
                               history.commits()[creep.steps.back().commit].id.substr(0, 10), nights),
       .came = "no regression against the anchor"});
}

}  // namespace

void judge_states(const Years& years, const Facts& facts, Judgement& judgement) {
  for (const Told& told : facts.told) {
    if (!model::is_open(told.regression.standing)) continue;
    const std::size_t nights = nights_without(years.history(), facts, told);
    if (nights < nights_of_grace) continue;
    judgement.complaints.push_back({.wrong = Wrong::never_ends,
                                    .night = told.night,
                                    .series = to_string(told.regression.finding.series),
                                    .expected = fmt::format("an end: it is gone since {} nights", nights),
                                    .came = std::string(progress_of(told.regression))});
  }
  for (const Creep& creep : creeps_of(years.history())) judge_creep(years, facts, creep, judgement);
}

}  // namespace tbci::thousand
