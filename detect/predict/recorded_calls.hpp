// One iteration as its calls in order, with what each takes: what recordings of different batches are matched by. Pure;
// safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/timeline/look.hpp"
#include "detect/timeline/parts.hpp"

namespace tbci::detect {

struct CallTensor {
  std::int64_t storage = 0;  ///< the same number is the same memory; 0: undefined
  bool written = false;      ///< by the operator's schema
  double element_bytes = 0;
  std::vector<std::int64_t> sizes = {};
};

/// Nanoseconds, each a quiet_time over the iterations of a recording; faults are a median.
struct RecordedCall {
  std::string name;            ///< of the operator: hostile text
  std::size_t lane = 0;        ///< the thread; 0: the one that iterates. All of Gloo's are one
  std::ptrdiff_t parent = -1;  ///< the operator that called it; below 0: none, a model's own call
  std::size_t end = 0;         ///< one past the last call that it made, at any depth: they follow it
  std::int64_t sequence = -1;  ///< autograd's number
  std::int64_t forward = -1;   ///< of the node of the backward pass that made it: the number of its forward call
  std::vector<CallTensor> inputs, outputs;
  double begin = 0;     ///< from the iteration's begin, in the last iteration
  double gap = 0;       ///< of a model's own call: since the one before it on its lane, or the iteration's begin
  double own = 0;       ///< in the call and in none that it made, without `waited`
  double waited = 0;    ///< the thread had nothing to do
  double faults = 0;    ///< page faults, a number
  bool kernel = false;  ///< computes: innermost, or long in itself
  OwnTime split = {};   ///< of any other one, inside a model's own call that has some: where `own` lies
};

struct RecordedIteration {
  std::vector<RecordedCall> calls;  ///< by lane; who calls before what it calls; collectives as they were begun
  double last_gap = 0;              ///< after the last call of lane 0
  double waited = 0;  ///< with several lanes: in no operator, for another lane; the longest gap is without it
  double fault_nanoseconds = 0, dispatch_nanoseconds = 0;
};

/// Those iterations count that make the same calls as the last one. A kernel is as in StepThresholds::long_call, by one
/// recording. Errors (failed): the timeline is of a GPU, or no operator was called.
Result<RecordedIteration> recorded_iteration(const Look& look);

}  // namespace tbci::detect
