// Series that moved together are one event: it is named, reported and bisected as one. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "storage/model/night.hpp"

namespace tbci::detect {

/// A confirmed change of one series, with what is known of where it came from.
struct Moved {
  model::Finding finding;  ///< its verdict is `regression` or `improvement`
  std::string from, to;    ///< the builds between which it moved
  /// Names of what changed with it: operators that compare_operators found, libraries that differ. Empty: not known.
  std::set<std::string> signature;
};

/// How an event shows in one metric.
struct GroupEffect {
  model::Metric metric{};
  std::size_t series = 0;  ///< how many moved
  std::size_t worst = 0;   ///< which moved most: an index into what was grouped
  double typical = 0;      ///< median of their changes, as a fraction; infinite where most came from nothing
};

struct ChangeEvent {
  model::Verdict direction{};          ///< of all of them
  std::string from, to;                ///< the builds
  std::vector<std::size_t> members;    ///< indices into what was grouped, the largest change first
  std::vector<GroupEffect> effects;    ///< one for each metric that moved, in the order of the metrics
  std::vector<std::string> signature;  ///< what most of those share of which it is known, the commonest first
};

/// Groups by the pair of builds and the direction. Within such a group, series whose signatures are known and share no
/// name, not even through others, are different events; a series of which nothing is known joins the only one there is,
/// or else those like it. Every index stands in exactly one event; regressions come before improvements, the event with
/// the largest change first. Findings of other verdicts are a mistake of the caller (asserts).
std::vector<ChangeEvent> group_changes(std::span<const Moved> moved);

}  // namespace tbci::detect
