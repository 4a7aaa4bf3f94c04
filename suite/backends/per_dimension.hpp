// A call from C++ may name one number for all dimensions, as in max_pool2d(x, 3, 2), or leave the stride out, and a
// trace keeps it so. Calls from Python have a number for each, which oneDNN's graph compiler relies on.
#pragma once

namespace torch::jit {
struct Graph;
}

namespace tbci::suite {

// Gives each convolution, and each pooling of two dimensions, a number for each dimension, where its lists are
// constants: run it on a frozen graph.
void put_numbers_per_dimension(torch::jit::Graph& graph);

}  // namespace tbci::suite
