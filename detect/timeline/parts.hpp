// The parts of a recorded iteration, fine enough to hold two builds against each other. Pure; safe from any thread.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "detect/timeline/look.hpp"

namespace tbci::detect {

/// What an operator's own time consists of beside the kernels that it calls: three of the five overheads of "Building a
/// Performance Model for Deep Learning Recommendation Model Training on GPUs". The other two, between operators and of
/// a launch, belong to others. On a CPU a kernel is an innermost operator.
struct OwnTime {
  double before = 0;   ///< until the first kernel begins
  double between = 0;  ///< from one kernel to the next
  double after = 0;    ///< from the last kernel's end on
  double sum() const { return before + between + after; }
};

/// Calls of one operator with inputs of the same sizes: they do the same work.
struct CallGroup {
  std::string name;  ///< of the operator: hostile text
  std::string sizes;
  auto operator<=>(const CallGroup&) const = default;
};

/// Of one iteration. Each number is a median over the iterations of a recording: an iteration that something disturbed
/// counts for nothing.
struct GroupTime {
  double calls = 0;
  double own = 0;      ///< nanoseconds in the calls and in none that they make, without `waited`; faults are in it
  double waited = 0;   ///< nanoseconds that the thread had nothing to do
  double faults = 0;   ///< page faults
  bool kernel = true;  ///< calls no kernel: it is one itself
  OwnTime split = {};  ///< of an operator that calls kernels: where its own time lies
};

struct IterationParts {
  double whole = 0;           ///< nanoseconds
  double unwatched = 0;       ///< nanoseconds of an iteration without the recorder, just before; 0: not known
  double outside = 0;         ///< in no operator, nodes of the backward pass included, without the next
  double outside_waited = 0;  ///< nanoseconds
  double outside_faults = 0;  ///< page faults
  double fault_nanoseconds = 0, dispatch_nanoseconds = 0;  ///< of one fault, of one call: as the machine was
  std::map<CallGroup, GroupTime> groups;
};

/// Several recordings of one case on one build, each of a process of its own.
using RecordedParts = std::vector<IterationParts>;

/// Of the thread that iterates, on a CPU.
IterationParts parts_of(const Look& look);

}  // namespace tbci::detect
