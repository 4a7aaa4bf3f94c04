// Where the time of an iteration goes: Figures 1 and 2 of the TorchBench paper. Pure; safe from any thread.
#pragma once

#include "detect/timeline/look.hpp"

namespace tbci::detect {

/// Nanoseconds of one iteration (means over those of the timeline), which add up to it.
struct TimeSplit {
  double active = 0;  ///< an operator computes; on a GPU: a kernel, a memset or a copy within it runs
  double movement =
      0;            ///< an operator only copies, converts or reorders; on a GPU: only copies from or to the host run
  double idle = 0;  ///< no operator, page faults, a thread that waits; on a GPU: it does nothing
  double whole() const { return active + movement + idle; }
};

/// On a CPU that of the thread that iterates. On a GPU that of its own intervals: device_times.
TimeSplit split_of(const Look& look);

}  // namespace tbci::detect
