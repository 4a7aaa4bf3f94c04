// A timeline: each call of an operator in a few iterations, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/measure.hpp"
#include "suite/timeline/fault_price.hpp"

namespace tbci::suite {

// A tensor as calls saw it. Two calls that have the same storage number used the same memory; no address is kept.
struct SeenTensor {
  std::int64_t storage = 0;  // from 1
  std::int64_t type = 0;     // a number of Timeline::names
  bool on_gpu = false;
  std::vector<std::int64_t> sizes;
};

// A tensor in a call: its number in Timeline::tensors; below 0: an undefined one.
struct TensorUse {
  std::int64_t tensor = -1;
  bool written = false;  // by the operator's schema
};

// Times in nanoseconds from the recording's begin. On a CPU the recorder's own time, and that in which another process
// had the CPU, are taken out; on a GPU they are not, as its clock goes on.
struct TimelineCall {
  std::size_t name = 0;  // a number of Timeline::names
  std::size_t thread = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  // In the call, and in none that it called: the thread had nothing to do, or other threads of this process had its
  // CPU.
  std::int64_t waited = 0;
  std::int64_t faults = 0;     // the same for page faults
  std::int64_t sequence = -1;  // autograd's number of the forward call, equal in its node of the backward pass
  std::vector<TensorUse> inputs;
  std::vector<TensorUse> outputs;
};

// Work of a GPU.
struct TimelineWork {
  bool movement = false;  // a copy between the CPU and the GPU
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t call = -1;  // that launched it: a number of Timeline::calls; below 0: none
  std::uint32_t stream = 0;
};

struct TimelineIteration {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t unwatched = 0;  // one without the recorder, two iterations before
  std::int64_t watched = 0;    // this one by the clock, with all that the recorder cost
  std::int64_t waited = 0;     // in no operator
  std::int64_t faults = 0;     // in no operator
};

// What this machine does at best, in this process, with these threads.
struct MachineSpeed {
  std::int64_t dispatch_nanoseconds = 0;  // of one call that computes one number
  PageCost writing;                       // of an operator that only writes
  PageCost computing;                     // of one that computes what it writes
  std::int64_t bytes_per_second = 0;      // read and written by a copy
  std::int64_t flops_per_second = 0;      // of a large product of matrices in fp32
};

struct Timeline {
  std::vector<std::string> names;  // of operators, nodes of the backward pass and element types
  std::vector<SeenTensor> tensors;
  std::vector<TimelineCall> calls;  // by thread in the order of their begin: who calls stands before what it calls
  std::vector<TimelineWork> work;
  std::vector<TimelineIteration> iterations;
  std::vector<std::int64_t> inputs;  // storages that hold a batch of data, as far as the workload tells
  MachineSpeed speed;
  bool cut_off = false;  // there were more calls than the recorder may keep
};

constexpr std::size_t most_timeline_calls = 100000;

// Records `plan.iterations` iterations; the caller warms up. Ends after the last one that fits below `most_calls`; if
// not even one does, the first part of one is there. An unrecorded iteration runs before each of them. Watches as
// `profile` does (suite/profile.hpp), with the same conditions; on a GPU CUPTI records its work. Between the iterations
// the price of a page fault is measured, and no other speed of the machine. Throws Unsupported where CUPTI cannot, and
// what the workload throws.
Timeline record_timeline(Workload& workload, const IterationPlan& plan, std::size_t most_calls = most_timeline_calls);

// Measures for some tenths of a second all but the costs of pages, which the recording has measured.
void measure_speed(DeviceKind device, MachineSpeed& speed);

}  // namespace tbci::suite
