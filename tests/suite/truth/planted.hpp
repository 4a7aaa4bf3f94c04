// Workloads on a CPU whose time goes where their names say, and that have what a hint should find.
//   parts:C-M-S-F  an iteration of about 20 ms: C percent computing, M copying, S asleep, F faulting pages in
//   parts:C-M-S-F:W  the same; W is the operator that writes to these pages: fill (as above), copy, add, exp or product
//   hint:KIND-P    an iteration of about 20 ms that a change, as the hint says, makes P thousandths shorter:
//     zero         small tensors are zeroed one by one; the change: they are one flat tensor
//     loop         an optimizer's step, tensor by tensor; the change: the same step on flat tensors
//     root         the root of a tensor of one element; the change: the root is kept
//     convert      a weight that stays is converted; the change: the converted one is kept
//     inner        a product copies the weight, which has gaps; the change: a weight without gaps
//     fault        a tensor is made, filled and dropped; the change: it is kept and filled
//     short        sums of four numbers, call by call; the change: one call for all
#pragma once

#include <memory>
#include <string>

namespace tbci::suite {
class Workload;
}

namespace tbci::suite::truth {

// Null for another kind. It says on the standard error, as a line of JSON, what share of the iteration its parts have
// (`parts`: at its end, of iterations that were not recorded) or what the change saves (`hint`: at start-up).
std::unique_ptr<Workload> planted_workload(const std::string& kind, const std::string& what);

}  // namespace tbci::suite::truth
