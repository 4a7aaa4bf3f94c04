// Decides from pairs of two builds whether they differ by a step: a culprit against its parent. Pure; safe from any
// thread.
#pragma once

#include <span>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

enum class ParentCheck {
  undecided,  ///< needs more pairs
  shown,      ///< the culprit shows the step
  absent      ///< the culprit does not differ from its parent
};

struct ParentCheckSettings {
  LevelSettings levels;
  double expected = 0;  ///< the step that the search found; only a step of the same sign counts. Not 0
  int least_pairs = 3;
  int most_pairs = 40;
  double error = 1e-3;  ///< accepted probability of reporting a step where there is none
};

/// `effects`: of the pairs (parent, culprit) so far. A sequential test: call it again after each pair. It decides after
/// `most_pairs` at the latest.
ParentCheck check_against_parent(std::span<const double> effects, const ParentCheckSettings& settings);

}  // namespace tbci::bisect
