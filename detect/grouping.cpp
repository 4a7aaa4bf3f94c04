#include "detect/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/assert.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Members = std::vector<std::size_t>;

/// How far it moved, for an order. A value that is not a number must not break it.
std::pair<double, double> size_of(const Moved& moved) {
  const double change = moved.finding.change;
  return {std::isnan(change) ? 0 : std::abs(change), std::abs(model::growth_from_nothing(moved.finding))};
}

/// Sets of members that share names, directly or through others.
class Parts {
 public:
  explicit Parts(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void join(std::size_t one, std::size_t other) { parent_[root(one)] = root(other); }

 private:
  std::vector<std::size_t> parent_;
};

/// Splits what moved between two builds in one direction by what is known of it.
std::vector<Members> by_signature(std::span<const Moved> moved, const Members& together) {
  Parts parts(together.size());
  std::map<std::string, std::size_t> first_with;
  for (std::size_t i = 0; i < together.size(); ++i) {
    for (const std::string& name : moved[together[i]].signature)
      parts.join(i, first_with.try_emplace(name, i).first->second);
  }
  std::map<std::size_t, Members> known;
  Members unknown;
  for (std::size_t i = 0; i < together.size(); ++i) {
    if (moved[together[i]].signature.empty()) {
      unknown.push_back(together[i]);
    } else {
      known[parts.root(i)].push_back(together[i]);
    }
  }
  std::vector<Members> groups;
  for (auto& [root, members] : known) groups.push_back(std::move(members));
  if (unknown.empty()) return groups;
  if (groups.size() != 1) groups.emplace_back();
  groups.back().insert(groups.back().end(), unknown.begin(), unknown.end());
  return groups;
}

std::vector<GroupEffect> effects_of(std::span<const Moved> moved, const Members& members) {
  std::map<model::Metric, Members> by_metric;  // in each the largest change first, as in `members`
  for (const std::size_t member : members) by_metric[moved[member].finding.series.metric].push_back(member);
  std::vector<GroupEffect> effects;
  for (const auto& [metric, of_metric] : by_metric) {
    // The median of values of which some are infinite is found by order alone.
    std::vector<double> changes;
    for (const std::size_t member : of_metric) changes.push_back(moved[member].finding.change);
    std::erase_if(changes, [](double change) { return std::isnan(change); });
    const double typical = changes.empty() ? std::numeric_limits<double>::quiet_NaN() : model::median(changes);
    effects.push_back({metric, of_metric.size(), of_metric.front(), typical});
  }
  return effects;
}

std::vector<std::string> common_names(std::span<const Moved> moved, const Members& members) {
  std::map<std::string, std::size_t> counts;
  std::size_t known = 0;
  for (const std::size_t member : members) {
    known += moved[member].signature.empty() ? 0 : 1;
    for (const std::string& name : moved[member].signature) ++counts[name];
  }
  std::vector<std::pair<std::string, std::size_t>> common(counts.begin(), counts.end());
  std::erase_if(common, [&](const auto& one) { return 2 * one.second <= known; });
  std::ranges::stable_sort(common, std::ranges::greater{}, [](const auto& one) { return one.second; });
  std::vector<std::string> names;
  for (auto& [name, count] : common) names.push_back(std::move(name));
  return names;
}

ChangeEvent event_of(std::span<const Moved> moved, Members members) {
  std::ranges::stable_sort(members, std::ranges::greater{}, [&](std::size_t one) { return size_of(moved[one]); });
  const Moved& worst = moved[members.front()];
  ChangeEvent event;
  event.direction = worst.finding.verdict;
  event.from = worst.from;
  event.to = worst.to;
  event.effects = effects_of(moved, members);
  event.signature = common_names(moved, members);
  event.members = std::move(members);
  return event;
}

}  // namespace

std::vector<ChangeEvent> group_changes(std::span<const Moved> moved) {
  std::map<std::tuple<model::Verdict, std::string, std::string>, Members> together;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const model::Verdict verdict = moved[i].finding.verdict;
    TBCI_ASSERT(model::is_change(verdict));
    together[{verdict, moved[i].from, moved[i].to}].push_back(i);
  }
  std::vector<ChangeEvent> events;
  for (const auto& [key, members] : together) {
    for (Members& group : by_signature(moved, members)) events.push_back(event_of(moved, std::move(group)));
  }
  std::ranges::stable_sort(events, {}, [&](const ChangeEvent& event) {
    const auto [change, growth] = size_of(moved[event.members.front()]);
    return std::tuple(event.direction != model::Verdict::regression, -change, -growth);
  });
  return events;
}

}  // namespace tbci::detect
