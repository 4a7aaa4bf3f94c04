// `tbci predict BENCHMARK`: the time with another batch.
#pragma once

#include <stop_token>
#include <string>

#include "daemon/cli/application.hpp"
#include "daemon/cli/selection.hpp"
#include "pipeline/measure/predicting.hpp"

namespace tbci::daemon {

/// `selection` has the benchmark. Prints each case; one that cannot be predicted costs itself alone. Exit code 1 where
/// no case has a prediction.
Result<ExitCode> predict_batch(const Invocation& invocation, const Selection& selection, const std::string& build,
                               const pipeline::PredictionPlan& plan, std::stop_token stop);

}  // namespace tbci::daemon
