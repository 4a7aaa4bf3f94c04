// Runs a workload: warm-up, then the measured iterations.
#pragma once

#include "suite/alternation.hpp"
#include "suite/benchmark.hpp"
#include "suite/instructions.hpp"
#include "suite/protocol.hpp"

namespace tbci::suite {

struct Plan {
  DeviceKind device;
  int warmup;
  int iterations;
};

// Warms up until the caches of LibTorch and of the allocator are full.
void warm_up(Workload& workload, const Plan& plan);

// Measures each iteration and reports it immediately. A sample's time excludes the reporting, and only the reporting
// runs between two samples. The search for growth comes afterwards (growth.hpp). With another worker that iterates in
// turn, each of its iterations waits for its turn; a short one follows another that is not measured, since the other
// worker has filled the processor's caches.
// Returns the peaks over these iterations. Throws what the workload throws.
// Create the counter before LibTorch starts its threads.
MemoryUse measure(Workload& workload, const Plan& plan, const InstructionCounter& counter, Alternation alternation,
                  Protocol& protocol);

}  // namespace tbci::suite
