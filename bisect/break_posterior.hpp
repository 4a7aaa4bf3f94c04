// Where a case broke: what the processes of some builds say about the commit, and what to try next. Pure; safe from any
// thread.
//
// The model: there is one break at most. Processes of the builds before it fail with one share, near 0; those from it
// on fail with another (detect/breaks.hpp). Both shares are unknown and are summed over exactly, so that the ends of
// the search teach how often a broken build fails, and a crash by chance accuses nobody.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "bisect/next_action.hpp"
#include "detect/breaks.hpp"

namespace tbci::bisect {

/// The processes of each class that was tried, by class: the first is the good end, the last one the bad end.
using TrialsByClass = std::map<std::size_t, detect::Trials>;

struct BreakPosterior {
  std::vector<double> at;  ///< the probability that it broke at a class; [0] is 0
  double none = 1;         ///< the ends are alike
  /// That it lies after class `good`, at or before class `bad`.
  double between(std::size_t good, std::size_t bad) const;
};

/// `weights` of each class of the search, above 0. Asserts that both ends were tried.
BreakPosterior posterior_of_break(const TrialsByClass& trials, std::span<const double> weights);

/// What the search of one case knows.
struct BreakState {
  TrialsByClass trials;
  std::vector<ClassState> states;  ///< of each class; those with trials are `measured`
  std::vector<double> weights;     ///< of each class, above 0
};

/// measure: another process of class `at`. split: try a class inside the one bracket. done: the bracket holds the
/// break; none: the ends are alike. A class is tried `most_readings` times at most, the two at the break three times at
/// the least. Deterministic.
NextAction next_break_action(const BreakState& state, const Certainty& certainty);

}  // namespace tbci::bisect
