// Cases that make the same calls for each sample, one after another: none of a batch's calls is one of another batch's,
// but each operator is called as often as a line over the batch says. Pure; safe from any thread.
#pragma once

#include <vector>

#include "detect/predict/call_units.hpp"
#include "detect/predict/prediction.hpp"

namespace tbci::detect {

/// Whether the number of calls of each operator is on one line over the batch, exactly, and most of the largest batch's
/// calls are there because of its size. Three batches at least: two are always on a line. Of one thread.
bool calls_follow_batch(const std::vector<BatchRecording>& recordings);

/// What an operator's calls take together is a CostCurve over the batch, by the same parts as in predict_batch, and so
/// are the gaps. `recordings`: by their batch, as calls_follow_batch takes them. Without `rest` and what it adds to
/// the time.
Prediction predict_loop(const std::vector<BatchRecording>& recordings, int batch);

}  // namespace tbci::detect
