#include "bisect/build_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

using States = std::vector<ClassState>;
using Classes = std::set<std::size_t>;

/// Sums of the same terms in another order differ in their last bits: those are ties, won by the earlier class.
constexpr double tie = 1e-9;

bool is_near_lost(const States& states, std::size_t at) {
  return states[at - 1] == ClassState::lost || states[at + 1] == ClassState::lost;
}

/// Broken commits come in stretches: the longer the stretch that is known already, the further it likely reaches.
/// `direction` is -1 or 1. The probability that a stretch on that side does not reach `at`.
double chance_of_one_side(const States& states, std::size_t at, int direction) {
  auto step = [&](std::size_t i) { return direction < 0 ? i - 1 : i + 1; };
  std::size_t nearest = step(at);
  while (states[nearest] == ClassState::untried) nearest = step(nearest);
  if (states[nearest] != ClassState::lost) return 1;
  std::size_t furthest = nearest;
  for (std::size_t i = nearest; states[i] != ClassState::measured; i = step(i)) {
    if (states[i] == ClassState::lost) furthest = i;
  }
  auto distance = [](std::size_t a, std::size_t b) { return static_cast<double>(a < b ? b - a : a - b); };
  return 1 - std::exp2(-distance(at, nearest) / (distance(nearest, furthest) + 1));
}

double chance_to_build(const States& states, std::size_t at) {
  return chance_of_one_side(states, at, -1) * chance_of_one_side(states, at, 1);
}

std::size_t untried(const Question& question, std::size_t after, std::size_t before) {
  const auto begin = question.states.begin();
  return static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(after) + 1,
                                             begin + static_cast<std::ptrdiff_t>(before), ClassState::untried));
}

/// One question with its sums, so that a cut is looked at in constant time.
class Asked {
 public:
  explicit Asked(const Question& question) : question_(question), sums_(question.states.size() + 1, 0) {
    for (std::size_t at = question.good + 1; at <= question.bad; ++at) sums_[at + 1] = sums_[at] + question.weights[at];
    chances_.assign(question.states.size(), 0);
    for (std::size_t at = question.good + 1; at < question.bad; ++at) {
      if (is_candidate(at)) chances_[at] = chance_to_build(question.states, at);
    }
  }

  bool is_candidate(std::size_t at) const {
    return at > question_.good && at < question_.bad && question_.states[at] == ClassState::untried;
  }
  bool is_near_lost_class(std::size_t at) const { return is_candidate(at) && is_near_lost(question_.states, at); }

  /// Bits that a build at `at` tells beside those at `chosen`.
  double gain(std::size_t at, const Classes& chosen) const {
    if (!is_candidate(at)) return 0;
    std::size_t left = question_.good, right = question_.bad;
    const auto after = chosen.lower_bound(at);
    if (after != chosen.end()) right = std::min(right, *after);
    if (after != chosen.begin()) left = std::max(left, *std::prev(after));
    const double whole = mass(left, right), part = mass(left, at);
    return (bits(part) + bits(whole - part) - bits(whole)) / mass(question_.good, question_.bad) * chances_[at];
  }

  /// Whether the bound on the builds can still be kept after a build at `at`.
  bool keeps_bound(std::size_t at) const {
    if (question_.builds_left <= 0 || !is_candidate(at)) return true;
    const double most = std::exp2(question_.builds_left - 1) - 1;
    const std::size_t longer = std::max(untried(question_, question_.good, at), untried(question_, at, question_.bad));
    return static_cast<double>(longer) <= most;
  }

 private:
  /// Of the classes after `left`, to `right`.
  double mass(std::size_t left, std::size_t right) const { return sums_[right + 1] - sums_[left + 1]; }
  static double bits(double mass) { return mass > 0 ? -mass * std::log2(mass) : 0; }

  const Question& question_;
  std::vector<double> sums_;  ///< of the weights before each class, from the good end of the question on
  std::vector<double> chances_;
};

/// Regressions that are in doubt about the same classes are one question.
std::vector<Asked> different(std::span<const Question> questions) {
  std::vector<Asked> all;
  std::set<std::tuple<std::size_t, std::size_t, std::vector<std::size_t>, std::vector<double>>> seen;
  for (const Question& question : questions) {
    TBCI_ASSERT(question.good < question.bad && question.bad < question.states.size());
    std::vector<std::size_t> open;
    for (std::size_t at = question.good + 1; at < question.bad; ++at) {
      if (question.states[at] == ClassState::untried) open.push_back(at);
    }
    if (open.empty()) continue;
    const auto begin = question.weights.begin();
    std::vector<double> weights(begin + static_cast<std::ptrdiff_t>(question.good) + 1,
                                begin + static_cast<std::ptrdiff_t>(question.bad) + 1);
    if (seen.insert({question.good, question.bad, std::move(open), std::move(weights)}).second)
      all.emplace_back(question);
  }
  return all;
}

class Choice {
 public:
  Choice(std::vector<Asked> questions, std::size_t classes) : questions_(std::move(questions)), classes_(classes) {}

  /// The class that adds the most to `chosen`.
  std::optional<std::size_t> best(const Classes& chosen) const {
    std::optional<std::size_t> found;
    Score best;
    for (std::size_t at = 1; at + 1 < classes_; ++at) {
      if (chosen.count(at) != 0) continue;
      const Score score = score_of(at, chosen);
      if (score.bits <= 0) continue;
      if (!found || is_better(score, best)) {
        found = at;
        best = score;
      }
    }
    return found;
  }

  double gain(std::size_t at, const Classes& chosen) const { return score_of(at, chosen).bits; }

 private:
  struct Score {
    double bits = 0;
    bool near_lost = false, keeps_bound = true;
  };

  Score score_of(std::size_t at, const Classes& chosen) const {
    Score score;
    for (const Asked& question : questions_) {
      score.bits += question.gain(at, chosen);
      score.near_lost |= question.is_near_lost_class(at);
      score.keeps_bound &= question.keeps_bound(at);
    }
    return score;
  }

  static bool is_better(const Score& one, const Score& other) {
    if (one.near_lost != other.near_lost) return other.near_lost;
    if (one.keeps_bound != other.keeps_bound) return one.keeps_bound;
    return one.bits > other.bits + tie;
  }

  std::vector<Asked> questions_;
  std::size_t classes_;
};

/// One by one, then each again with the others in place, until nothing moves: one alone goes for the middle, of four
/// each goes for a fifth.
Classes choose(const Choice& choice, std::size_t builders) {
  Classes chosen;
  while (chosen.size() < builders) {
    const auto at = choice.best(chosen);
    if (!at) break;
    chosen.insert(*at);
  }
  constexpr int most_passes = 20;
  bool moved = chosen.size() > 1;
  for (int pass = 0; pass < most_passes && moved; ++pass) {
    moved = false;
    for (std::size_t at : std::vector<std::size_t>(chosen.begin(), chosen.end())) {
      Classes others = chosen;
      others.erase(at);
      const auto better = choice.best(others);
      if (!better || choice.gain(*better, others) <= choice.gain(at, others) + tie) continue;
      chosen = std::move(others);
      chosen.insert(*better);
      moved = true;
    }
  }
  return chosen;
}

}  // namespace

std::vector<CommitClass> classes_of(std::span<const model::Commit> commits) {
  std::vector<CommitClass> classes;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const bool as_before = i > 0 && !commits[i].inputs.empty() && commits[i].inputs == commits[i - 1].inputs;
    if (!as_before) classes.emplace_back();
    classes.back().commits.push_back(i);
  }
  return classes;
}

std::vector<std::size_t> next_builds(std::span<const Question> questions, std::size_t builders) {
  TBCI_ASSERT(builders > 0);
  std::vector<Asked> open = different(questions);
  if (open.empty()) return {};
  const Classes chosen = choose(Choice(std::move(open), questions.front().states.size()), builders);
  return {chosen.begin(), chosen.end()};
}

int most_builds_of(std::size_t classes) {
  return classes < 2 ? 0 : static_cast<int>(std::ceil(std::log2(static_cast<double>(classes - 1))));
}

int expected_builds(std::span<const Question> questions) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  double builds = 0;
  for (const Question& question : questions) {
    if (!seen.insert({question.good, question.bad}).second) continue;
    builds += std::ceil(std::log2(static_cast<double>(untried(question, question.good, question.bad) + 1)));
  }
  return static_cast<int>(builds);
}

}  // namespace tbci::bisect
