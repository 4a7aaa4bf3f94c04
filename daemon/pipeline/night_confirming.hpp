// The confirmations of a night: tonight's suspects, what earlier nights left over, and what has crept.
#pragma once

#include <vector>

#include "daemon/pipeline/comparing.hpp"
#include "daemon/pipeline/night_screening.hpp"

namespace tbci::daemon {

/// Decides by interleaved pairs, the most pressing first, until the night's time is over. In one transaction it keeps
/// the findings, the regressions with the builds that they were confirmed against, and what is left over for the next
/// night.
Status confirm_night(Desk& desk, const model::Night& night, const ComparisonPlan& plan,
                     const std::vector<Screened>& screened);

}  // namespace tbci::daemon
