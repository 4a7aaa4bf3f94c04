// In which order suspected cases are confirmed once a first one is: those that its slower operators should hit most.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// With fewer cases left their order gains less than the profiles cost.
inline constexpr std::size_t least_cases_to_order = 3;

/// The same cases, those first that should be hit most by what made `confirmed` slower; equal ones stay in their order.
/// Profiles both builds of `confirmed`, and the old build of each other case once; what is stored is not taken again. A
/// case that cannot be profiled counts as hit by 1%, and so do those that are left at `until`. Where `confirmed` has no
/// profile, or no operator changed, the order stays. Errors: that the work was stopped, or that a store is damaged; any
/// other one costs the order alone, not the confirmation.
Result<std::vector<model::Case>> by_expected_hit(SubjectContext& context, const Comparison& builds,
                                                 const model::Case& confirmed, std::vector<model::Case> cases,
                                                 std::optional<TimePoint> until = {});

}  // namespace tbci::pipeline
