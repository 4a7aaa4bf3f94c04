// Images and weights of convolutions with their channels last in memory.
#pragma once

#include "suite/benchmark.hpp"

namespace tbci::suite {

// In place, behind the handles that the workload exposes: its parameters, buffers and inputs of four dimensions (five:
// volumes). Throws Unsupported if there are none.
void put_channels_last(Workload& workload);

}  // namespace tbci::suite
