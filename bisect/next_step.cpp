#include "bisect/next_step.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

/// A reading of an end serves the probe at hand and others to come.
constexpr double later_probes = 3;
constexpr double likelier = 0.5;

class Inquiry {
 public:
  Inquiry(const Knowledge& knowledge, const Certainty& certainty) : knowledge_(knowledge), certainty_(certainty) {}

  Need next() const {
    if (const auto at = class_to_look_at_again()) return read(*at);
    const double none = knowledge_.posterior.none;
    if (none >= certainty_.ends) {
      const auto end = poorer_end();
      if (none < 1 - certainty_.ends && end) return read(*end);
      if (none > likelier) return {};
    }
    if (!is_direction_known()) {
      if (const auto at = most_doubtful()) return read(*at);
    }
    std::vector<Gap> open;
    for (const Gap& gap : likely_gaps((1 - none) * (1 - certainty_.aside))) {
      if (is_open(gap)) open.push_back(gap);
    }
    if (!open.empty()) return {Need::Kind::split, 0, std::move(open)};
    return look_aside();
  }

 private:
  const Readings& readings(std::size_t j) const { return knowledge_.data.classes[j]; }
  std::size_t count(std::size_t j) const { return readings(j).values.size(); }
  std::size_t gaps() const { return knowledge_.posterior.change.size(); }
  double change(std::size_t gap) const { return knowledge_.posterior.change[gap]; }
  Need read(std::size_t j) const { return {Need::Kind::read, readings(j).at, {}}; }
  Gap gap(std::size_t j) const { return {readings(j).at, readings(j + 1).at, change(j)}; }
  bool may_read(std::size_t j) const {
    if (j == 0 && knowledge_.data.against_good_end) return false;
    return count(j) < certainty_.most_readings;
  }

  std::optional<std::size_t> class_to_look_at_again() const {
    for (std::size_t j = 0; j <= gaps(); ++j) {
      const std::size_t at = readings(j).at;
      if (!knowledge_.at_least.empty() && count(j) < knowledge_.at_least[at] && may_read(j)) return j;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> poorer_end() const {
    const std::size_t last = gaps();
    if (may_read(0) && (count(0) <= count(last) || !may_read(last))) return 0;
    if (may_read(last)) return last;
    return std::nullopt;
  }

  bool is_direction_known() const {
    const auto& all = knowledge_.posterior.change;
    return *std::max_element(all.begin(), all.end()) >= (1 - knowledge_.posterior.none) * (1 - certainty_.direction);
  }

  /// How likely class j lies on the other side than it seems. A class between two steps lies on neither.
  double doubt(std::size_t j) const {
    return std::min(knowledge_.posterior.first[j], knowledge_.posterior.last[j]) - knowledge_.posterior.none;
  }

  /// The class whose side is in most doubt, or the end that it is held against.
  std::optional<std::size_t> most_doubtful() const {
    std::optional<std::size_t> found;
    for (std::size_t j = 1; j < gaps(); ++j) {
      if (may_read(j) && (!found || doubt(j) > doubt(*found))) found = j;
    }
    if (!found) return poorer_end();
    return most_telling(*found);
  }

  /// Of both classes beside a gap the one with fewer readings.
  std::optional<std::size_t> poorer_beside(std::size_t gap) const {
    const bool left = may_read(gap), right = may_read(gap + 1);
    if (left && (!right || count(gap) < count(gap + 1))) return gap;
    if (right) return gap + 1;
    return std::nullopt;
  }

  /// The side of class j is in doubt. It is held against the middle of both levels, with the variance
  /// 1 / n + 1 / (4 good) + 1 / (4 bad) in units of one reading's: n of its own readings, and those that speak for the
  /// level of either side. A reading goes where it takes the most off that; those of a side serve later probes too.
  std::size_t most_telling(std::size_t j) const {
    double good = 0, bad = 0;
    for (std::size_t i = 0; i <= gaps(); ++i) {
      if (i == j) continue;
      good += knowledge_.posterior.first[i] * static_cast<double>(count(i));
      bad += knowledge_.posterior.last[i] * static_cast<double>(count(i));
    }
    const auto taken_off = [](double readings) { return 1 / (readings * (readings + 1)); };
    std::size_t best = j;
    double most = taken_off(static_cast<double>(count(j)));
    const std::pair<std::size_t, double> sides[] = {{0, good}, {gaps(), bad}};
    for (const auto& [end, readings] : sides) {
      const double off = later_probes / 4 * taken_off(readings);
      if (!may_read(end) || off <= most) continue;
      best = end;
      most = off;
    }
    return best;
  }

  std::vector<Gap> likely_gaps(double least) const {
    std::vector<Gap> likely;
    for (std::size_t j = 0; j < gaps(); ++j) {
      if (change(j) >= least) likely.push_back(gap(j));
    }
    if (!likely.empty()) return likely;
    const auto& all = knowledge_.posterior.change;  // the readings ran out: the likeliest
    return {gap(static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin()))};
  }

  bool is_open(const Gap& gap) const {
    for (std::size_t at = gap.good + 1; at < gap.bad; ++at) {
      if (knowledge_.states[at] == ClassState::untried) return true;
    }
    return false;
  }

  /// The likely gaps can't be split any more: is there another, and are these certain enough to be named?
  Need look_aside() const {
    const auto& all_changes = knowledge_.posterior.change;
    if (*std::max_element(all_changes.begin(), all_changes.end()) < certainty_.culprit) {
      if (const auto at = most_doubtful()) return read(*at);
    }
    for (std::size_t j = 0; j < gaps(); ++j) {
      if (change(j) <= certainty_.aside || change(j) >= 1 - certainty_.aside) continue;
      if (const auto at = poorer_beside(j)) return read(*at);
    }
    std::vector<Gap> open, all;
    for (std::size_t j = 0; j < gaps(); ++j) {
      if (change(j) < likelier) continue;
      all.push_back(gap(j));
      if (is_open(gap(j))) open.push_back(gap(j));
    }
    if (!open.empty()) return {Need::Kind::split, 0, std::move(open)};
    if (all.empty()) all = likely_gaps(1);
    return {Need::Kind::nothing, 0, std::move(all)};
  }

  const Knowledge& knowledge_;
  const Certainty& certainty_;
};

}  // namespace

Need next_need(const Knowledge& knowledge, const Certainty& certainty) {
  TBCI_ASSERT(knowledge.data.classes.size() >= 2);
  TBCI_ASSERT(knowledge.posterior.change.size() + 1 == knowledge.data.classes.size());
  return Inquiry(knowledge, certainty).next();
}

}  // namespace tbci::bisect
