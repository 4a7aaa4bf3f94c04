// Rewrites what oneDNN's graph compiler refuses, as LibTorch calls it, into forms that it takes.
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
// - The compiler refuses the whole graph for a `cat` of anything but fp32, bf16 and fp16, such as whole numbers: it
//   becomes `concat`, which LibTorch computes itself.
void suit_onednn_graph(torch::jit::Graph& graph);

}  // namespace tbci::suite
