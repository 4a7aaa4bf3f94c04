// Which nightly is checked, and against which.
#pragma once

#include "pipeline/pipeline.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

struct ChosenNight {
  model::Nightly nightly, baseline;
};

/// By the choice, the index, and what was checked before. A night that was begun keeps its baseline. Errors (usage)
/// for a name that is not published, naming the nearest.
Result<ChosenNight> choose_night(SubjectContext& context, const NightChoice& choice);

}  // namespace tbci::pipeline
