// What oneDNN's graph compiler, as LibTorch calls it, does not take, though it computes it where it is written
// otherwise.
#pragma once

namespace torch::jit {
struct Graph;
}

namespace tbci::suite {

// Run it before a graph is frozen, while the types of its tensors are known, and after, when lists of numbers are
// constants.
// - A call from C++ may name one number for all dimensions, as in max_pool2d(x, 3, 2), or leave the stride out, and a
//   trace keeps it so. Calls from Python have a number for each, which the compiler relies on: each convolution and
//   each pooling of two dimensions gets one.
// - A `cat` of whole numbers has no type that the compiler knows, and it refuses the whole graph: it becomes `concat`,
//   which LibTorch computes itself.
void suit_onednn_graph(torch::jit::Graph& graph);

}  // namespace tbci::suite
