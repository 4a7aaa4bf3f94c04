// Runs a workload: warm-up, then the measured iterations.
#pragma once

#include <chrono>
#include <vector>

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
// each iteration.
std::vector<std::chrono::nanoseconds> warm_up(Workload& workload, const IterationPlan& plan);

// How many of the first iterations took over 10% longer than a steady one.
int unsteady(const std::vector<std::chrono::nanoseconds>& iterations, std::chrono::nanoseconds steady);

struct Measured {
  MemoryUse use;                      // peaks over the iterations
  std::chrono::nanoseconds median{};  // of an iteration
};

// Measures each iteration and reports it immediately. A sample's time excludes the reporting, and only the reporting
// runs between two samples. The search for growth comes afterwards (growth.hpp). With another worker that iterates in
// turn, which it has met, each iteration waits for its turn.
// Throws what the workload throws.
// Create the counter before LibTorch starts its threads.
Measured measure(Workload& workload, const IterationPlan& plan, const InstructionCounter& counter,
                 Alternation& alternation, Protocol& protocol);

}  // namespace tbci::suite
