// On which nightly a case that fails tonight still worked.
#pragma once

#include <optional>
#include <string>

#include "detect/breaks.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// The nightly before the first one on which the case fails, by all processes of earlier nights: last night's build may
/// be broken as well and have passed by chance. Nothing where the case fails since tonight only, where no nightly is
/// known to have worked, and where an earlier break of the case has not recovered. Of a case that recovered, only the
/// nights since then count.
Result<std::optional<std::string>> last_working_nightly(SubjectContext& context, const model::Night& tonight,
                                                        const model::Case& measured, const detect::Trials& trials);

}  // namespace tbci::pipeline
