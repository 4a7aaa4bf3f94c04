// The part of a step that lies in operators: their kernels, and what their calls cost beside them. Pure.
#pragma once

#include <vector>

#include "detect/timeline/step.hpp"

namespace tbci::detect {

struct StepScale {
  double fault_nanoseconds = 0;  ///< the price of a page fault in all recordings
  double least = 0;              ///< nanoseconds by which two recordings differ clearly
};

/// Nanoseconds of a call's own time that its page faults take.
double time_of_faults(const GroupTime& time, double fault_nanoseconds);

/// The part with its difference, from one number of each recording.
model::StepPart compared_part(model::StepPart part, const std::vector<double>& before, const std::vector<double>& after,
                              double least);

/// Of what is in no region: one part for each operator, and one for what each call of all operators got, where there is
/// that: step_between.
std::vector<model::StepPart> operator_parts(const RecordedParts& before, const RecordedParts& after,
                                            const StepScale& scale, const StepThresholds& thresholds);

}  // namespace tbci::detect
