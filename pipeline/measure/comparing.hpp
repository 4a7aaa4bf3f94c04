// Two builds compared as on a night: a screen of all series, and strict pairs for what it suspects.
#pragma once

#include <span>
#include <vector>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// One finding for each series that has numbers on the builds, confirmed where the screen suspected it, and one for
/// each case that looks broken. Of these metrics alone; none: of all.
Result<std::vector<model::Finding>> compare_builds(SubjectContext& context, const ComparisonPlan& plan,
                                                   std::span<const model::Metric> metrics = {});

}  // namespace tbci::pipeline
