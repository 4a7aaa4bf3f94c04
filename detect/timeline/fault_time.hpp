// How much of a call's time its page faults took. Pure; safe from any thread.
#pragma once

#include "storage/model/timeline.hpp"

namespace tbci::detect {

/// A call that spent `own` nanoseconds without waiting, `faults` page faults included.
struct FaultingCall {
  double own = 0;
  double faults = 0;
};

/// Nanoseconds, at most the call's own. A fault has the price of an operator that only writes to a page where the call
/// took as long for each fault as that operator, the price of one that computes where it took as long as that one or
/// longer, and one between them between. Where the second is not known, always the first.
double time_of_faults(const model::MachineSpeed& speed, const FaultingCall& call);

}  // namespace tbci::detect
