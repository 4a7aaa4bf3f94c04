// Runs a workload: warm-up, then the measured iterations.
#pragma once

#include <chrono>

#include "suite/alternation.hpp"
#include "suite/benchmark.hpp"
#include "suite/instructions.hpp"
#include "suite/protocol.hpp"

namespace tbci::suite {

struct IterationPlan {
  DeviceKind device;
  int warmup;
  int iterations;
  std::chrono::milliseconds warmup_time{0};  // the warm-up goes on until it has passed
};

// Warms up until the caches of LibTorch and of the allocator are full, and a GPU's clock has risen. Returns the time of
// the last iteration; 0: there was none.
std::chrono::nanoseconds warm_up(Workload& workload, const IterationPlan& plan);

// Measures each iteration and reports it immediately. A sample's time excludes the reporting, and only the reporting
// runs between two samples. The search for growth comes afterwards (growth.hpp). With another worker that iterates in
// turn, which it has met, each iteration waits for its turn.
// Returns the peaks over these iterations. Throws what the workload throws.
// Create the counter before LibTorch starts its threads.
MemoryUse measure(Workload& workload, const IterationPlan& plan, const InstructionCounter& counter,
                  Alternation& alternation, Protocol& protocol);

}  // namespace tbci::suite
