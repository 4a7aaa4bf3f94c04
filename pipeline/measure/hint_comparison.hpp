// The hints that one build has and another has not, or has for less time: recorded now and not kept.
#pragma once

#include <vector>

#include "detect/timeline/added_hints.hpp"
#include "pipeline/measure/characterising.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {

struct HintComparison {
  model::Case measured;
  int recordings = 0;                    ///< of each build, each in a fresh process
  Character after;                       ///< of the last recording of the build after; its hints are all, however small
  std::vector<detect::AddedHint> added;  ///< the largest first
};

inline constexpr int hint_recordings = 3;

/// Records a case on both builds, in turn. `options.thresholds.least_gain`: what is added and saves less is left out.
/// Progress hears of each pair. Errors: as of `characterise`.
Result<HintComparison> compare_hints(SubjectContext& context, const Comparison& builds, const model::Case& measured,
                                     const CharacterOptions& options = {});

}  // namespace tbci::pipeline
