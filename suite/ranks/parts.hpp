// Where the time of a rank's iterations goes.
#pragma once

#include <cstdint>
#include <vector>

#include "suite/evidence.hpp"

namespace tbci::suite::ranks {

// One collective, as one rank sees it, by the machine's clock in nanoseconds.
struct Collective {
  std::int64_t called;                // this rank comes to it
  std::int64_t returned;              // the call returns; others do the rest
  std::int64_t arrived;               // the last rank comes to it: from then on it can be done
  std::int64_t completed;             // all is done
  std::int64_t wait_begin, wait_end;  // this rank needs the result; it has it
};

// A part of an iteration is one of the first three, and communication beside them is hidden.
struct Parts {
  std::int64_t iteration = 0;
  std::int64_t exposed = 0;  // communication for which the rank does nothing else
  std::int64_t waiting = 0;  // for ranks that have not come yet
  std::int64_t hidden = 0;   // communication while the rank does something else

  std::int64_t compute() const { return iteration - exposed - waiting; }
  void add(const Collective& one);
};

}  // namespace tbci::suite::ranks
