#include "detect/selftest/nights.hpp"

#include <algorithm>

#include "detect/confirm.hpp"
#include "detect/paired_screen.hpp"
#include "detect/screen.hpp"

namespace tbci::detect::selftest {

namespace {

const model::Series series{"simulated", model::Configuration::cpu_train, model::Metric::time};

bool wants_process(const std::vector<double>& values, const Sampling& sampling) {
  return wants_more({.values = values, .processes = static_cast<int>(values.size())}, sampling);
}

int direction(double change) {
  return change > 0 ? 1 : -1;
}

}  // namespace

void Cost::add(const Cost& other) {
  processes += other.processes;
  confirmations += other.confirmations;
  confirming_pairs += other.confirming_pairs;
  anchor_pairs += other.anchor_pairs;
}

std::optional<Baseline> OurNights::baseline() const {
  if (!settings_.from_history) return std::nullopt;
  const auto window = static_cast<std::size_t>(settings_.baseline.window);
  const std::size_t before = nights_.size() - 1;
  std::vector<NightValues> history;
  for (std::size_t i = before > window ? before - window : 0; i < before; ++i)
    history.push_back({static_cast<int>(i), nights_[i].values, nights_[i].restarts});
  return baseline_of(series.metric, history, settings_.baseline);
}

void OurNights::measure(Source& source, int build, std::vector<double>& values, Cost& cost) const {
  values.push_back(source.process(nights_[static_cast<std::size_t>(build)].effect));
  ++cost.processes;
}

OurNights::Screened OurNights::screen_tonight(Source& source, const std::optional<Baseline>& usual, Cost& cost) {
  std::vector<double>& after = nights_.back().values;
  if (usual) {
    while (wants_process(after, settings_.sampling) && !is_clearly_usual(series, usual, after, settings_.thresholds))
      measure(source, tonight(), after, cost);
    Screened screened{.finding = screen_against(series, usual, after, settings_.thresholds),
                      .old_build = usual->reference_night,
                      .against_history = true,
                      .pairs = {}};
    if (screened.finding.verdict != model::Verdict::inconclusive) return screened;
  }
  Screened screened{.finding = {}, .old_build = tonight() - 1, .against_history = false, .pairs = {}};
  after.clear();  // what was measured alone is not half of a pair
  PairedScreen looked;
  while (!looked.decided) {
    std::vector<double> before;
    measure(source, screened.old_build, before, cost);
    measure(source, tonight(), after, cost);
    screened.pairs.push_back({before.back(), after.back()});
    looked = screen_pairs(series, screened.pairs, settings_.thresholds, settings_.sampling);
  }
  screened.finding = std::move(looked.finding);
  return screened;
}

TestedCandidate OurNights::ask(Source& source, Candidate candidate, double old_effect, Cost& cost) const {
  ++cost.confirmations;
  std::vector<Pair> pairs = candidate.pairs;
  TestedCandidate outcome;
  outcome.looked = true;
  const int earlier = static_cast<int>(pairs.size());
  outcome.measured = candidate.screen_pairs;
  pairs.insert(pairs.end(), outcome.measured.begin(), outcome.measured.end());
  Judgement judgement = confirm(series, pairs, settings_.thresholds, earlier);
  while (judgement.pairs_wanted > 0) {
    for (int i = 0; i < judgement.pairs_wanted; ++i) {
      const double before = source.process(old_effect);
      const double after = source.process(nights_.back().effect);
      pairs.push_back({before, after});
      outcome.measured.push_back({before, after});
    }
    cost.confirming_pairs += judgement.pairs_wanted;
    judgement = confirm(series, pairs, settings_.thresholds, earlier);
  }
  outcome.finding = std::move(judgement.finding);
  outcome.candidate = std::move(candidate);
  return outcome;
}

void OurNights::note_machine(const Screened& screened, const TestedCandidate& outcome,
                             const std::optional<Baseline>& usual) {
  if (!screened.against_history || screened.finding.verdict != model::Verdict::suspect) return;
  if (model::is_change(outcome.finding.verdict)) return;
  std::vector<double> old_values;
  for (const Pair& pair : outcome.measured) old_values.push_back(pair.before);
  const model::Finding old_build = screen_against(series, usual, old_values, settings_.thresholds);
  if (old_build.verdict == model::Verdict::suspect && direction(old_build.change) == direction(screened.finding.change))
    moved_tonight_ = direction(old_build.change);
}

bool OurNights::confirm_tonight(Source& source, const Screened& screened, const std::optional<Baseline>& usual,
                                Cost& cost) {
  const Suspect suspect{screened.finding, std::to_string(screened.old_build), screened.pairs};
  if (screened.finding.verdict != model::Verdict::suspect && retests_.empty()) return false;
  bool filed = false;
  std::vector<TestedCandidate> outcomes;
  for (Candidate& candidate : candidates_of({&suspect, 1}, retests_, std::to_string(tonight()))) {
    const auto old_build = static_cast<std::size_t>(std::stoi(candidate.old_build));
    outcomes.push_back(ask(source, std::move(candidate), nights_[old_build].effect, cost));
    const TestedCandidate& outcome = outcomes.back();
    note_machine(screened, outcome, usual);
    if (model::is_change(outcome.finding.verdict)) nights_.back().restarts = true;
    filed = filed || outcome.finding.verdict == model::Verdict::regression;
  }
  retests_ = retests_after(outcomes, settings_.thresholds);
  return filed;
}

bool OurNights::watch_anchor(Source& source, Cost& cost) {
  if (settings_.anchor_every <= 0 || tonight() <= anchor_night_) return false;
  if (!anchor_watched_ && tonight() % settings_.anchor_every != 0) return false;
  const double anchor = nights_[static_cast<std::size_t>(anchor_night_)].effect;
  AnchorPast past{.night = tonight(), .pairs = {}, .confirmation = {}};
  for (int i = 0; i < settings_.anchor.pairs; ++i) {
    const double before = source.process(anchor);
    const double after = source.process(nights_.back().effect);
    past.pairs.push_back({before, after});
  }
  cost.anchor_pairs += settings_.anchor.pairs;
  anchored_.push_back(std::move(past));
  std::vector<AnchorNight> nights;
  for (const AnchorPast& one : anchored_) nights.push_back({one.night, one.pairs, one.confirmation});
  const AnchorReading reading = read_anchor(series, nights, anchor_night_, settings_.thresholds, settings_.anchor);
  anchor_watched_ = reading.watched;
  if (!reading.asks) return false;
  const TestedCandidate outcome =
      ask(source, Candidate{.series = series, .old_build = "anchor", .pairs = {}, .first_suspect = ""}, anchor, cost);
  anchored_.back().confirmation =
      AnchorConfirmation{outcome.finding.verdict, effect(series.metric, {1, 1 + outcome.finding.change}).value_or(0)};
  if (outcome.finding.verdict != model::Verdict::regression) return false;
  anchored_.clear();
  anchor_night_ = tonight();
  anchor_watched_ = false;
  return true;
}

MethodNight OurNights::night(Source& source, double effect) {
  MethodNight result;
  nights_.push_back({.values = {}, .effect = effect, .restarts = false});
  moved_tonight_ = 0;
  if (nights_.size() == 1) {  // there is nothing to compare it with
    while (wants_process(nights_.back().values, settings_.sampling))
      measure(source, 0, nights_.back().values, result.cost);
    return result;
  }
  const auto usual = baseline();
  const Screened screened = screen_tonight(source, usual, result.cost);
  result.filed = confirm_tonight(source, screened, usual, result.cost);
  if (moved_tonight_ != 0 && moved_tonight_ == moved_last_night_) nights_.back().restarts = true;
  moved_last_night_ = moved_tonight_;
  if (!result.filed) result.filed = watch_anchor(source, result.cost);
  return result;
}

}  // namespace tbci::detect::selftest
