// Which operators the time of an iteration goes to.
#pragma once

#include "suite/measure.hpp"
#include "suite/self_times.hpp"

namespace tbci::suite {

// Profiles `plan.iterations` iterations; the caller warms up. An operator is a call through the dispatcher at any depth
// (`aten.addmm.default`), or a node of the backward pass with autograd's work around it (`AddmmBackward0`). Both come
// from at::RecordFunction, on this thread and on those that autograd starts for a GPU. An unprofiled iteration runs
// before each profiled one. Times are the host's: they do not include a kernel that a GPU runs later. Throws what the
// workload throws, and stops watching in either case. Must not be nested, nor run on
// two threads at once.
Profile profile(Workload& workload, const IterationPlan& plan);

}  // namespace tbci::suite
