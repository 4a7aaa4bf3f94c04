// The parts of a recorded iteration, fine enough to hold two builds against each other. Pure; safe from any thread.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "detect/timeline/look.hpp"
#include "detect/timeline/regions.hpp"

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
  Region region = Region::none;
  auto operator<=>(const CallGroup&) const = default;
};

/// Of one iteration. Each number is a median over the iterations of a recording: an iteration that something disturbed
/// counts for nothing.
struct GroupTime {
  double calls = 0;
  double own = 0;      ///< nanoseconds in the calls and in none that they make, without waiting; faults are in it
  double faults = 0;   ///< page faults
  bool kernel = true;  ///< calls no kernel: it is one itself
  OwnTime split = {};  ///< of an operator that calls kernels: where its own time lies
};

/// An operator, or the region itself, in a region.
struct RegionCall {
  Region region{};
  std::string name;  ///< of the operator, hostile text; empty: in no operator
  auto operator<=>(const RegionCall&) const = default;
};

struct IterationParts {
  double whole = 0;           ///< nanoseconds
  double unwatched = 0;       ///< nanoseconds of an iteration without the recorder, shortly before; 0: not known
  double outside = 0;         ///< in no operator, nodes of the backward pass included, without the next
  double outside_faults = 0;  ///< page faults
  double waited = 0;          ///< nanoseconds that the thread had nothing to do, in an operator or in none
  double tier = 0;            ///< nanoseconds in that region, all included; what is waited while others are in it, too
  double communication = 0;   ///< nanoseconds in that region, all included
  double fault_nanoseconds = 0, dispatch_nanoseconds = 0;  ///< of one fault, of one call: as the machine was
  std::map<CallGroup, GroupTime> groups;
  /// Nanoseconds, all included: of a tier on all threads, of communication on the one that iterates.
  std::map<RegionCall, double> region_calls;
};

/// Several recordings of one case on one build, each of a process of its own.
using RecordedParts = std::vector<IterationParts>;

/// Of the thread that iterates, on a CPU. Where another thread of the process brings in rows, and this one waits at the
/// same time or does not have the CPU, the shorter of both is of the tier and not waiting.
IterationParts parts_of(const Look& look);

}  // namespace tbci::detect
