#include "bisect/break_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

using detect::Trials;

/// Prior probability that the ends are alike: the source builds show nothing of what the nightlies do.
constexpr double prior_of_none = 0.2;
/// Of both ends before anything is built between them, and of the culprit and its parent.
constexpr int least_processes = 3;
constexpr double likelier_than_not = 0.5;

class BreakChooser {
 public:
  BreakChooser(const BreakState& state, const Certainty& certainty)
      : state_(state), certainty_(certainty), posterior_(posterior_of_break(state.trials, state.weights)) {}

  NextAction next() const {
    const std::size_t first = state_.trials.begin()->first, last = state_.trials.rbegin()->first;
    for (const std::size_t end : {last, first}) {
      if (count(end) < least_processes) return measure(end);
    }
    if (posterior_.none >= certainty_.ends) {
      const std::size_t end = count(first) <= count(last) ? first : last;
      if (posterior_.none < 1 - certainty_.ends && may_try(end)) return measure(end);
      if (posterior_.none > likelier_than_not) return {};
    }
    const Bracket likeliest = likeliest_bracket();
    if (likeliest.probability < (1 - posterior_.none) * (1 - certainty_.direction)) {
      if (const auto at = most_doubtful(likeliest)) return measure(*at);
    }
    if (is_open(likeliest)) return {.kind = NextAction::Kind::split, .brackets = {likeliest}};
    return certify(likeliest);
  }

 private:
  int count(std::size_t at) const { return state_.trials.at(at).processes; }
  bool may_try(std::size_t at) const { return count(at) < static_cast<int>(certainty_.most_readings); }
  static NextAction measure(std::size_t at) { return {.kind = NextAction::Kind::measure, .at = at, .brackets = {}}; }

  Bracket likeliest_bracket() const {
    Bracket best;
    for (auto good = state_.trials.begin(), bad = std::next(good); bad != state_.trials.end(); good = bad++) {
      const double probability = posterior_.between(good->first, bad->first);
      if (bad == std::next(state_.trials.begin()) || probability > best.probability)
        best = {good->first, bad->first, probability};
    }
    return best;
  }

  /// The class between the ends whose side is most uncertain; else a side of the likeliest bracket.
  std::optional<std::size_t> most_doubtful(const Bracket& likeliest) const {
    const std::size_t first = state_.trials.begin()->first, last = state_.trials.rbegin()->first;
    std::optional<std::size_t> found;
    double most = 0;
    for (const auto& [at, trials] : state_.trials) {
      const double doubt = std::min(posterior_.between(first, at), posterior_.between(at, last));
      if (at == first || at == last || !may_try(at) || doubt <= most) continue;
      most = doubt;
      found = at;
    }
    return found ? found : side_with_fewer(likeliest);
  }

  std::optional<std::size_t> side_with_fewer(const Bracket& bracket) const {
    const bool fewer_bad = count(bracket.bad) <= count(bracket.good);
    for (const std::size_t side : {fewer_bad ? bracket.bad : bracket.good, fewer_bad ? bracket.good : bracket.bad}) {
      if (may_try(side)) return side;
    }
    return std::nullopt;
  }

  bool is_open(const Bracket& bracket) const {
    for (std::size_t at = bracket.good + 1; at < bracket.bad; ++at) {
      if (state_.states[at] == ClassState::untried) return true;
    }
    return false;
  }

  /// The culprit and its parent are known: whether that is certain enough to be said.
  NextAction certify(const Bracket& found) const {
    for (const std::size_t side : {found.bad, found.good}) {
      if (count(side) < least_processes) return measure(side);
    }
    if (found.probability < certainty_.culprit) {
      if (const auto at = most_doubtful(found)) return measure(*at);
    }
    return {.kind = NextAction::Kind::done, .brackets = {found}};
  }

  const BreakState& state_;
  const Certainty& certainty_;
  BreakPosterior posterior_;
};

}  // namespace

double BreakPosterior::between(std::size_t good, std::size_t bad) const {
  double sum = 0;
  for (std::size_t i = good + 1; i <= bad; ++i) sum += at[i];
  return sum;
}

BreakPosterior posterior_of_break(const TrialsByClass& trials, std::span<const double> weights) {
  TBCI_ASSERT(trials.size() >= 2 && trials.begin()->first == 0 && trials.rbegin()->first + 1 == weights.size());
  const double whole = std::accumulate(weights.begin() + 1, weights.end(), 0.0);
  Trials all, before;
  for (const auto& [at, of_class] : trials) all = all + of_class;
  // The logarithms of prior times likelihood; of the alike ends last.
  std::vector<double> logs;
  auto next = trials.begin();
  for (std::size_t at = 1; at < weights.size(); ++at) {
    for (; next->first < at; ++next) before = before + next->second;
    const Trials after{all.processes - before.processes, all.failures - before.failures};
    logs.push_back(std::log((1 - prior_of_none) * weights[at] / whole) +
                   detect::log_probability(before, detect::share_if_working) +
                   detect::log_probability(after, detect::share_if_broken));
  }
  for (const detect::FailureShare& share : {detect::share_if_working, detect::share_if_broken})
    logs.push_back(std::log(prior_of_none / 2) + detect::log_probability(all, share));
  const double most = std::ranges::max(logs);
  double sum = 0;
  for (double& value : logs) sum += value = std::exp(value - most);
  BreakPosterior posterior;
  posterior.at.assign(weights.size(), 0);
  for (std::size_t at = 1; at < weights.size(); ++at) posterior.at[at] = logs[at - 1] / sum;
  posterior.none = (logs[logs.size() - 2] + logs.back()) / sum;
  return posterior;
}

NextAction next_break_action(const BreakState& state, const Certainty& certainty) {
  return BreakChooser(state, certainty).next();
}

}  // namespace tbci::bisect
