// Where a GPU's time goes. CUPTI traces it in extra iterations, because tracing costs time.
#pragma once

#include <functional>
#include <optional>

#include "suite/gpu/split.hpp"

namespace tbci::suite {

// Runs this many extra iterations, and one before them, and returns how one of them splits (mean, nanoseconds). Nothing
// if this worker was built without CUPTI's header, if CUPTI is not loaded, cannot trace or lost records, or if an
// iteration threw; the standard error then says why. Earlier measurements are not affected.
std::optional<GpuSplit> trace_gpu(const std::function<void()>& iterate, int iterations);

}  // namespace tbci::suite
