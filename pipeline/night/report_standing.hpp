// What the latest night measured of the regressions that open reports are about.
#pragma once

#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// The open reports about regressions of earlier nights say what this night measured of them. A night that is not the
/// subject's latest says nothing.
Status tell_standing(SubjectContext& context, const model::Night& night);

}  // namespace tbci::pipeline
