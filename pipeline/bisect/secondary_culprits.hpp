// Where several commits made a series worse: which of them, besides the worst one, deserve an issue of their own. Pure;
// safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "detect/thresholds.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

struct SecondaryCulprit {
  model::Finding finding;  ///< of this step alone: before and after are what the series was at its parent and at it
  std::vector<std::string> suspects;
  std::string reason;  ///< why there are several suspects
};

/// In the order of the commits. `whole` is what the night found of the series. None of a leak: how much of it came from
/// which commit is not known well enough.
std::vector<SecondaryCulprit> secondary_culprits(const model::Finding& whole, const model::Answer& answer,
                                                 const detect::Thresholds& thresholds);

}  // namespace tbci::pipeline
