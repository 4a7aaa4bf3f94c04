// The calls of a few iterations of one case, one by one, as a worker recorded them. Not stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tbci::model {

/// A tensor as calls saw it. The same storage is the same memory.
struct SeenTensor {
  std::int64_t storage = 0;
  std::size_t type = 0;  ///< a number of Timeline::names: `fp32`
  bool on_gpu = false;
  std::vector<std::int64_t> sizes;
};

struct TensorUse {
  std::int64_t tensor = -1;  ///< a number of Timeline::tensors; below 0: an undefined one
  bool written = false;      ///< by the operator's schema
};

/// Times are nanoseconds from the recording's begin.
struct TimelineCall {
  std::size_t name = 0;  ///< a number of Timeline::names
  std::size_t thread = 0;
  std::int64_t begin = 0, length = 0;
  std::int64_t waited = 0;     ///< in the call, and in none that it called: its thread had nothing to do
  std::int64_t faults = 0;     ///< the same: page faults
  std::int64_t sequence = -1;  ///< autograd's number
  std::vector<TensorUse> inputs, outputs;
  std::int64_t end() const { return begin + length; }
};

/// Work of a GPU.
struct TimelineWork {
  bool movement = false;  ///< a copy between CPU and GPU
  std::int64_t begin = 0, length = 0;
  std::int64_t call = -1;  ///< that launched it; below 0: none
  std::int64_t end() const { return begin + length; }
};

struct TimelineIteration {
  std::int64_t begin = 0, length = 0;
  std::int64_t unwatched = 0;           ///< an iteration without the recorder, shortly before
  std::int64_t watched = 0;             ///< this one by the clock, with all that the recorder cost
  std::int64_t waited = 0, faults = 0;  ///< in no operator
  std::int64_t end() const { return begin + length; }
};

/// What a page costs an operator that writes to it; 0: not known.
struct PageCost {
  std::int64_t fault_nanoseconds = 0;  ///< its first touch
  std::int64_t write_nanoseconds = 0;  ///< all else, touched before
};

/// What the machine does at best in the worker's process; 0: not known.
struct MachineSpeed {
  std::int64_t dispatch_nanoseconds = 0;  ///< of a call that computes one number
  PageCost writing;                       ///< of an operator that only writes
  PageCost computing;                     ///< of one that computes what it writes
  std::int64_t bytes_per_second = 0;      ///< that a copy reads and writes
  std::int64_t flops_per_second = 0;      ///< of a large product in fp32
};

/// Names are what a worker said: hostile text of one line.
struct Timeline {
  std::vector<std::string> names;
  std::vector<SeenTensor> tensors;
  std::vector<TimelineCall> calls;  ///< those of one thread by their begin: who calls before what it calls
  std::vector<TimelineWork> work;   ///< in any order
  std::vector<TimelineIteration> iterations;
  std::vector<std::int64_t> inputs;  ///< storages that hold a batch of data
  MachineSpeed speed;
  bool on_gpu = false;
  bool cut_off = false;  ///< its end is missing
};

}  // namespace tbci::model
