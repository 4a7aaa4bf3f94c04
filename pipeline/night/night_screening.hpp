// The screen of a night: against history where there is enough of it, beside the old build where there is not.
#pragma once

#include "pipeline/measure/screening.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// Measures tonight's build. A series that its history knows well is compared with that; where it looks changed, and
/// where nothing is known of it, the old build is measured beside. A series whose old build moved as well is an event
/// of the machine, kept and shown, and no suspect.
Result<Screen> screen_night(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan);

}  // namespace tbci::pipeline
