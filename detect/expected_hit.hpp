// Which cases a change of some operators should slow most. Pure; safe from any thread.
#pragma once

#include "storage/model/profile.hpp"

namespace tbci::detect {

/// What the case of `profile`, taken on the old build, should take more, as a part of its iteration: each operator that
/// `seen` found changed changes here by the same factor. Calls that the old build does not make count nothing. 0 or
/// more.
double expected_hit(const model::OperatorProfile& profile, const model::OperatorComparison& seen);

}  // namespace tbci::detect
