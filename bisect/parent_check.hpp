// Whether two builds differ by a step, from pairs of them: a culprit beside its parent. Pure; safe from any thread.
#pragma once

#include <span>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

enum class BesideParent { more, shown, absent };

struct BesideParentDecision {
  BesideParent verdict = BesideParent::more;
  Level step;  ///< of the culprit against its parent
};

struct BesideParentSettings {
  LevelSettings levels;
  double expected = 0;  ///< the step that the search found; only one of its sign counts
  int least_pairs = 3;
  int most_pairs = 40;
  double error = 1e-3;  ///< probability that there is no step where one is said to be
};

/// `effects`: of the pairs (parent, culprit) so far. Sequential: ask again after each pair, at the latest after
/// `most_pairs` it is decided.
BesideParentDecision decide_beside_parent(std::span<const double> effects, const BesideParentSettings& settings);

}  // namespace tbci::bisect
