// Which operators the time of an iteration goes to.
#pragma once

#include "suite/measure.hpp"
#include "suite/self_times.hpp"

namespace tbci::suite {

// Profiles `plan.iterations` iterations; warming up is the caller's. An operator is what went through the dispatcher
// (`aten.addmm.default`), at any depth, or a node of the backward pass with what autograd does around it
// (`AddmmBackward0`): both as at::RecordFunction tells of them, on this thread and on those that autograd starts for a
// GPU. Between the profiled iterations are as many that nobody watches. Times are the host's: a kernel that a GPU runs
// later is in none of them. Throws what the workload throws; then nothing watches any longer. Must not be nested, nor
// run on two threads at once.
Profile profile(Workload& workload, const Plan& plan);

}  // namespace tbci::suite
