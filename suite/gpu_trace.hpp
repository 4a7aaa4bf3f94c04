// Where a GPU's time goes: traced with CUPTI, in iterations of their own, since tracing costs time.
#pragma once

#include <functional>
#include <optional>

#include "suite/gpu_split.hpp"

namespace tbci::suite {

// Runs some more iterations and tells how one of them splits (mean, nanoseconds). Nothing where this worker was built
// without CUPTI, and where CUPTI cannot trace, lost records, or an iteration threw: then the standard error says why.
// What was measured before stays as it is.
std::optional<GpuSplit> trace_gpu(const std::function<void()>& iterate);

}  // namespace tbci::suite
