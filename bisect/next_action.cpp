#include "bisect/next_action.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

/// A reading of an end helps the current probe and about this many in all.
constexpr double later_probes = 3;
constexpr double even_odds = 0.5;

class ActionChooser {
 public:
  ActionChooser(const SeriesState& state, const Certainty& certainty) : state_(state), certainty_(certainty) {}

  NextAction next() const {
    if (const auto at = class_short_of_readings()) return measure(*at);
    const double none = state_.posterior->none;
    if (none >= certainty_.ends) {
      const auto end = end_with_fewer_readings();
      if (none < 1 - certainty_.ends && end) return measure(*end);
      if (none > even_odds) return {};
    }
    if (!is_direction_known()) {
      if (const auto at = most_doubtful()) return measure(*at);
    }
    std::vector<Bracket> open;
    for (const Bracket& bracket : likely_brackets((1 - none) * (1 - certainty_.aside))) {
      if (is_open(bracket)) open.push_back(bracket);
    }
    if (!open.empty()) return {.kind = NextAction::Kind::split, .brackets = std::move(open)};
    return look_for_other_steps();
  }

 private:
  const Readings& readings(std::size_t j) const { return state_.data->classes[j]; }
  std::size_t count(std::size_t j) const { return readings(j).values.size(); }
  /// Bracket j lies between class j and class j + 1.
  std::size_t brackets() const { return state_.posterior->step_after.size(); }
  double probability(std::size_t j) const { return state_.posterior->step_after[j]; }
  NextAction measure(std::size_t j) const {
    return {.kind = NextAction::Kind::measure, .at = readings(j).at, .brackets = {}};
  }
  Bracket bracket(std::size_t j) const { return {readings(j).at, readings(j + 1).at, probability(j)}; }
  bool may_read(std::size_t j) const {
    if (j == 0 && state_.data->against_good_end) return false;
    if (std::ranges::find(state_.closed, readings(j).at) != state_.closed.end()) return false;
    return count(j) < certainty_.most_readings;
  }

  std::optional<std::size_t> class_short_of_readings() const {
    for (std::size_t j = 0; j <= brackets(); ++j) {
      const std::size_t at = readings(j).at;
      if (!state_.required_readings.empty() && count(j) < state_.required_readings[at] && may_read(j)) return j;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> end_with_fewer_readings() const {
    const std::size_t last = brackets();
    if (may_read(0) && (count(0) <= count(last) || !may_read(last))) return 0;
    if (may_read(last)) return last;
    return std::nullopt;
  }

  bool is_direction_known() const {
    const auto& all = state_.posterior->step_after;
    return std::ranges::max(all) >= (1 - state_.posterior->none) * (1 - certainty_.direction);
  }

  /// The probability that class j lies on the less likely side. A class between two steps lies on neither side.
  double doubt(std::size_t j) const {
    return std::min(state_.posterior->like_good_end[j], state_.posterior->like_bad_end[j]) - state_.posterior->none;
  }

  /// The class whose side is most uncertain, or the end whose reading would settle it.
  std::optional<std::size_t> most_doubtful() const {
    std::optional<std::size_t> found;
    for (std::size_t j = 1; j < brackets(); ++j) {
      if (may_read(j) && (!found || doubt(j) > doubt(*found))) found = j;
    }
    if (!found) return end_with_fewer_readings();
    return most_informative(*found);
  }

  /// Of the two classes of a bracket, the one with fewer readings.
  std::optional<std::size_t> side_with_fewer_readings(std::size_t bracket) const {
    const bool left = may_read(bracket), right = may_read(bracket + 1);
    if (left && (!right || count(bracket) < count(bracket + 1))) return bracket;
    if (right) return bracket + 1;
    return std::nullopt;
  }

  /// The side of class j is uncertain. It is compared with the midpoint of both levels, with the variance
  /// 1 / n + 1 / (4 good) + 1 / (4 bad) in units of one reading's variance: n readings of its own, `good` and `bad`
  /// readings for the level of either side. The next reading goes where it reduces this variance the most; a reading
  /// of a side helps later probes too.
  std::size_t most_informative(std::size_t j) const {
    double good = 0, bad = 0;
    for (std::size_t i = 0; i <= brackets(); ++i) {
      if (i == j) continue;
      good += state_.posterior->like_good_end[i] * static_cast<double>(count(i));
      bad += state_.posterior->like_bad_end[i] * static_cast<double>(count(i));
    }
    const auto reduction = [](double readings) { return 1 / (readings * (readings + 1)); };
    std::size_t best = j;
    double most = reduction(static_cast<double>(count(j)));
    const std::pair<std::size_t, double> sides[] = {{0, good}, {brackets(), bad}};
    for (const auto& [end, readings] : sides) {
      const double off = later_probes / 4 * reduction(readings);
      if (!may_read(end) || off <= most) continue;
      best = end;
      most = off;
    }
    return best;
  }

  std::vector<Bracket> likely_brackets(double least) const {
    std::vector<Bracket> likely;
    for (std::size_t j = 0; j < brackets(); ++j) {
      if (probability(j) >= least) likely.push_back(bracket(j));
    }
    if (!likely.empty()) return likely;
    const auto& all = state_.posterior->step_after;  // no readings are left: take the likeliest
    return {bracket(static_cast<std::size_t>(std::ranges::max_element(all) - all.begin()))};
  }

  bool is_open(const Bracket& bracket) const {
    for (std::size_t at = bracket.good + 1; at < bracket.bad; ++at) {
      if (state_.states[at] == ClassState::untried) return true;
    }
    return false;
  }

  /// No likely bracket can be split any more: looks for another step, and whether these are certain enough to report.
  NextAction look_for_other_steps() const {
    if (std::ranges::max(state_.posterior->step_after) < certainty_.culprit) {
      if (const auto at = most_doubtful()) return measure(*at);
    }
    for (std::size_t j = 0; j < brackets(); ++j) {
      if (probability(j) <= certainty_.aside || probability(j) >= 1 - certainty_.aside) continue;
      if (const auto at = side_with_fewer_readings(j)) return measure(*at);
    }
    std::vector<Bracket> open, all;
    for (std::size_t j = 0; j < brackets(); ++j) {
      if (probability(j) < even_odds) continue;
      all.push_back(bracket(j));
      if (is_open(bracket(j))) open.push_back(bracket(j));
    }
    if (!open.empty()) return {.kind = NextAction::Kind::split, .brackets = std::move(open)};
    if (all.empty()) all = likely_brackets(1);
    return {.kind = NextAction::Kind::done, .brackets = std::move(all)};
  }

  const SeriesState& state_;
  const Certainty& certainty_;
};

}  // namespace

NextAction next_action(const SeriesState& state, const Certainty& certainty) {
  TBCI_ASSERT(state.data != nullptr && state.posterior != nullptr);
  TBCI_ASSERT(state.data->classes.size() >= 2);
  TBCI_ASSERT(state.posterior->step_after.size() + 1 == state.data->classes.size());
  return ActionChooser(state, certainty).next();
}

}  // namespace tbci::bisect
