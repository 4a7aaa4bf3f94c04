// The nightlies between the two builds of a regression tell where it lies before any commit is built.
#pragma once

#include <vector>

#include "pipeline/night/night_bisecting.hpp"

namespace tbci::pipeline {

/// The range, or parts of it, each with its regressions: nightlies between its two builds that cost no build (those
/// that are installed and, where nightlies are wheels, those that can be) are measured beside the old build, in pairs,
/// halving the range of each series for as long as the answer is clear: less than 0.3 of the change is there, or more
/// than 0.7 of it. A series that changed at several nightlies keeps the range in which it does. The range of a break
/// begins where earlier nights ran the case often enough, which costs nothing.
/// A nightly whose commit does not build here cannot be an end of a range.
/// Left as they are: leaks, creep, more than twelve cases, a search that was begun before, a night without a
/// repository. Errors are those of the machine: a nightly that is not available, or fails, is passed over.
Result<std::vector<BisectedRange>> narrowed(SubjectContext& context, const model::Night& night, const Comparison& usual,
                                            BisectedRange range);

}  // namespace tbci::pipeline
