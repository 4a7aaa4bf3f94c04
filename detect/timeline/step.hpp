// What the step from one build to another consists of: kernels by operator, overheads by type, page faults, waiting.
// Pure; safe from any thread.
#pragma once

#include "detect/timeline/parts.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::detect {

struct StepThresholds {
  double least_share = 0.01;  ///< of the iteration before: a smaller part is not shown
  double least_cause = 0.04;  ///< of the iteration before: processes differ by that much without a cause
  /// Times a call that computes one number: a call this long in itself computes. Twice that where it calls kernels.
  double long_call = 10;
  std::size_t least_operators = 6;  ///< that must show the same cost of a call, before it is that of all calls
};

/// Recordings of both builds, taken in turn, each of a process of its own; one of each at least (asserts). The case and
/// the number of recordings are the caller's to set.
/// - A cost that each call of each operator got is the median over operators of what their calls take more; there is
///   one only where three quarters of the operators show half of it.
/// - What an operator takes beyond that is its kernel where it grows with what its calls took before, or where it is
///   called more often; it is overhead where it is the same for short and for long calls. Where all its calls are of
///   one length, a call that is long in itself computes, and a short one does not.
/// - The same price of a page fault is used for all recordings: what is compared is how many there are.
model::StepSplit split_step(const RecordedParts& before, const RecordedParts& after,
                            const StepThresholds& thresholds = {});

}  // namespace tbci::detect
