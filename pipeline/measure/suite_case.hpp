// A suite as a case: if a build cannot list it, that is one break, and not one for each of its models.
#pragma once

#include <string>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

/// The case of the suite whose benchmarks' names begin so: `torchbench.*`, or `*` for the native suite and the worker.
model::Case case_of_suite(const std::string& prefix);
bool is_suite(const model::Case& measured);

/// Builds the worker against the build if necessary, and lists the suite: `done` if that works, else what went wrong.
/// Errors: those that say nothing about the build.
Result<model::Measurement> try_to_list(SubjectContext& context, const model::Build& build, const model::Case& suite);

}  // namespace tbci::pipeline
