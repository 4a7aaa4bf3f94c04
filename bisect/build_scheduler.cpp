#include "bisect/build_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

using States = std::vector<ClassState>;
using Classes = std::set<std::size_t>;

/// Sums of the same terms in another order differ in their last bits. They count as ties; the earlier class wins.
constexpr double tie = 1e-9;

bool is_near_lost(const States& states, std::size_t at) {
  return states[at - 1] == ClassState::lost || states[at + 1] == ClassState::lost;
}

/// The probability that a stretch of broken commits on one side (`direction` -1 or 1) does not reach `at`. Broken
/// commits come in stretches: the longer the known part of a stretch, the further it probably reaches.
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

std::size_t untried(const OpenStep& open_step, std::size_t after, std::size_t before) {
  const auto between = std::span(open_step.states).subspan(after + 1, before - after - 1);
  return static_cast<std::size_t>(std::ranges::count(between, ClassState::untried));
}

/// An open step with prefix sums, which evaluate a cut in constant time.
class OpenStepSums {
 public:
  explicit OpenStepSums(const OpenStep& open_step) : open_step_(open_step), sums_(open_step.states.size() + 1, 0) {
    for (std::size_t at = open_step.good + 1; at <= open_step.bad; ++at)
      sums_[at + 1] = sums_[at] + open_step.weights[at];
    chances_.assign(open_step.states.size(), 0);
    for (std::size_t at = open_step.good + 1; at < open_step.bad; ++at) {
      if (is_candidate(at)) chances_[at] = chance_to_build(open_step.states, at);
    }
  }

  bool is_candidate(std::size_t at) const {
    return at > open_step_.good && at < open_step_.bad && open_step_.states[at] == ClassState::untried;
  }
  bool is_near_lost_class(std::size_t at) const { return is_candidate(at) && is_near_lost(open_step_.states, at); }

  /// The information of a build at `at`, in bits, in addition to builds at `chosen`.
  double gain(std::size_t at, const Classes& chosen) const {
    if (!is_candidate(at)) return 0;
    std::size_t left = open_step_.good, right = open_step_.bad;
    const auto after = chosen.lower_bound(at);
    if (after != chosen.end()) right = std::min(right, *after);
    if (after != chosen.begin()) left = std::max(left, *std::prev(after));
    const double whole = mass(left, right), part = mass(left, at);
    return (bits(part) + bits(whole - part) - bits(whole)) / mass(open_step_.good, open_step_.bad) * chances_[at];
  }

  /// Whether the limit on further builds still holds after a build at `at`.
  bool keeps_bound(std::size_t at) const {
    if (open_step_.builds_left <= 0 || !is_candidate(at)) return true;
    const double most = std::exp2(open_step_.builds_left - 1) - 1;
    const std::size_t longer =
        std::max(untried(open_step_, open_step_.good, at), untried(open_step_, at, open_step_.bad));
    return static_cast<double>(longer) <= most;
  }

 private:
  /// The weight of the classes after `left`, up to `right`.
  double mass(std::size_t left, std::size_t right) const { return sums_[right + 1] - sums_[left + 1]; }
  static double bits(double mass) { return mass > 0 ? -mass * std::log2(mass) : 0; }

  const OpenStep& open_step_;
  std::vector<double> sums_;  ///< of the weights before each class, from the good end of the open step on
  std::vector<double> chances_;
};

/// Series with the same classes in doubt share one open step.
std::vector<OpenStepSums> without_duplicates(std::span<const OpenStep> open_steps) {
  std::vector<OpenStepSums> all;
  std::set<std::tuple<std::size_t, std::size_t, std::vector<std::size_t>, std::vector<double>>> seen;
  for (const OpenStep& open_step : open_steps) {
    TBCI_ASSERT(open_step.good < open_step.bad && open_step.bad < open_step.states.size());
    std::vector<std::size_t> open;
    for (std::size_t at = open_step.good + 1; at < open_step.bad; ++at) {
      if (open_step.states[at] == ClassState::untried) open.push_back(at);
    }
    if (open.empty()) continue;
    const auto begin = open_step.weights.begin();
    std::vector<double> weights(begin + static_cast<std::ptrdiff_t>(open_step.good) + 1,
                                begin + static_cast<std::ptrdiff_t>(open_step.bad) + 1);
    if (seen.insert({open_step.good, open_step.bad, std::move(open), std::move(weights)}).second)
      all.emplace_back(open_step);
  }
  return all;
}

class BuildChooser {
 public:
  BuildChooser(std::vector<OpenStepSums> open_steps, std::size_t classes)
      : open_steps_(std::move(open_steps)), classes_(classes) {}

  /// The class that adds the most information to `chosen`.
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
    for (const OpenStepSums& open_step : open_steps_) {
      score.bits += open_step.gain(at, chosen);
      score.near_lost |= open_step.is_near_lost_class(at);
      score.keeps_bound &= open_step.keeps_bound(at);
    }
    return score;
  }

  static bool is_better(const Score& one, const Score& other) {
    if (one.near_lost != other.near_lost) return other.near_lost;
    if (one.keeps_bound != other.keeps_bound) return one.keeps_bound;
    return one.bits > other.bits + tie;
  }

  std::vector<OpenStepSums> open_steps_;
  std::size_t classes_;
};

/// Chooses one class after the other, then moves each while the others stay, until none moves. A single build takes the
/// middle; four builds leave a fifth each.
Classes choose(const BuildChooser& chooser, std::size_t builders) {
  Classes chosen;
  while (chosen.size() < builders) {
    const auto at = chooser.best(chosen);
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
      const auto better = chooser.best(others);
      if (!better || chooser.gain(*better, others) <= chooser.gain(at, others) + tie) continue;
      chosen = std::move(others);
      chosen.insert(*better);
      moved = true;
    }
  }
  return chosen;
}

}  // namespace

std::vector<std::size_t> next_builds(std::span<const OpenStep> open_steps, std::size_t builders) {
  TBCI_ASSERT(builders > 0);
  std::vector<OpenStepSums> open = without_duplicates(open_steps);
  if (open.empty()) return {};
  const Classes chosen = choose(BuildChooser(std::move(open), open_steps.front().states.size()), builders);
  return {chosen.begin(), chosen.end()};
}

int most_builds_of(std::size_t classes) {
  return classes < 2 ? 0 : static_cast<int>(std::ceil(std::log2(static_cast<double>(classes - 1))));
}

int expected_builds(std::span<const OpenStep> open_steps) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  double builds = 0;
  for (const OpenStep& open_step : open_steps) {
    if (!seen.insert({open_step.good, open_step.bad}).second) continue;
    builds += std::ceil(std::log2(static_cast<double>(untried(open_step, open_step.good, open_step.bad) + 1)));
  }
  return static_cast<int>(builds);
}

}  // namespace tbci::bisect
