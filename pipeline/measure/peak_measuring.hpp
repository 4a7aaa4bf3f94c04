// What the machine does at best, measured beside what is measured on it.
#pragma once

#include <span>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

/// Measures and keeps the peaks of these builds in the run's environment, where nobody did so before. No run needs
/// them: a worker that cannot tell costs a note. Ready builds only.
Status keep_peaks(SubjectContext& context, const model::Run& run, std::span<const model::Build> builds);

}  // namespace tbci::pipeline
