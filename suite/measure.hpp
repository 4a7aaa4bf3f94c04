// Runs a workload: warm-up, then the measured iterations.
#pragma once

#include "suite/benchmark.hpp"
#include "suite/instructions.hpp"
#include "suite/protocol.hpp"

namespace tbci::suite {

struct Plan {
  DeviceKind device;
  int warmup;
  int iterations;
};

// Warms up, and returns when the caches of LibTorch and of the allocator are filled.
void warm_up(Workload& workload, const Plan& plan);

// Measures and reports each iteration at once. The samples' time has nothing of the reporting in it, and between two
// samples nothing happens but the reporting: growth is looked for afterwards (growth.hpp).
// Returns the peaks over these iterations. Throws what the workload throws.
// The counter was made before LibTorch made its threads.
MemoryUse measure(Workload& workload, const Plan& plan, const InstructionCounter& counter, Protocol& protocol);

}  // namespace tbci::suite
