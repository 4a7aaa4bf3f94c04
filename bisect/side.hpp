// On which side of the step a build lies, from pairs measured against the good end. Pure.
#pragma once

#include <span>

#include "detect/robust.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

struct SideSettings {
  double error = 2e-4;  ///< probability of the wrong side
  int first_pairs = 3;  ///< not decided before
  int most_pairs = 30;  ///< then the likelier side is taken; the check beside the parent catches a wrong one
};

/// What the ends told about a series, in the units of detect::effect.
struct Step {
  double size = 0;   ///< good end to bad end; either sign
  double scale = 0;  ///< standard deviation of the effect of one pair, above 0
};

struct SideDecision {
  model::Side side = model::Side::unknown;  ///< unknown while more pairs are wanted
  bool certain = false;                     ///< false where the pairs ran out
  detect::Estimate estimate;                ///< of the effect
};

/// `effects`: of the pairs (good end, probe) so far, all finite. Sequential: ask again after each pair. A likelihood
/// ratio between "like the good end" and "like the bad end" with a share of wild pairs that tell nothing; where the
/// probe is like neither, a t test against the middle.
SideDecision decide_side(std::span<const double> effects, const Step& step, const SideSettings& settings);

struct StepSettings {
  double alpha = 1e-3;  ///< error of each bound
  double least = 0;     ///< effects below this are no step, above 0
  double scale_floor = 0;
  int first_pairs = 6;
  int most_pairs = 30;
  bool either_direction = false;  ///< a negative step counts as well
};
enum class StepVerdict { more, shown, absent };
struct StepDecision {
  StepVerdict verdict = StepVerdict::more;
  detect::Estimate estimate;
  double low = 0, high = 0;  ///< one-sided bounds of `alpha` each
  Step step;                 ///< of a shown one
};
/// Whether two builds differ by a step: the ends of a search, or a culprit and its parent.
StepDecision decide_step(std::span<const double> effects, const StepSettings& settings);

}  // namespace tbci::bisect
