// Which operators the time of an iteration goes to.
#pragma once

#include "suite/measure.hpp"
#include "suite/self_times.hpp"

namespace tbci::suite {

// Profiles `plan.iterations` iterations; the caller warms up. An operator is a call through the dispatcher at any depth
// (`aten.addmm.default`), or a node of the backward pass with autograd's work around it (`AddmmBackward0`). Both come
// from at::RecordFunction, on this thread and on those that autograd starts for a GPU. An unprofiled iteration runs
// before each profiled one. On a CPU times are the host's. On a GPU an operator's time is that of the work which it
// launched (kernels, memsets and copies, by CUPTI), and the iteration is the unwatched one: what is in no operator is
// then the time in which the GPU had nothing to do. Throws Unsupported where CUPTI cannot trace, and what the workload
// throws; stops watching in either case. Must not be nested, nor run on two threads at once.
Profile profile(Workload& workload, const IterationPlan& plan);

}  // namespace tbci::suite
