// What something takes where nothing disturbs the machine, from several measurements. Pure; safe from any thread.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "detect/predict/recorded_calls.hpp"

namespace tbci::detect {

/// The lower quartile, between the two nearest values in proportion: what disturbs a machine only slows it, and may do
/// so in more than half of the measurements. Needs at least one value (asserts).
double quiet_time(std::vector<double> nanoseconds);

/// Each time is the quiet one of those recordings that make the most common calls. All are of one case with one batch,
/// each of a process of its own; at least one (asserts).
RecordedIteration quiet_recording(std::vector<RecordedIteration> recordings);

}  // namespace tbci::detect
