// Matrix products and convolutions take most of the time of most models. A trace that has fewer than the iteration that
// was recorded has folded some: it would be fast, and right.
#pragma once

#include <cstdint>
#include <functional>

namespace torch::jit {
struct Graph;
}

namespace tbci::suite {

// Those that `work` calls on this thread, below autograd. Throws what `work` throws. Must not be nested.
std::int64_t products_in(const std::function<void()>& work);

// Those that a traced iteration is certain to call, read from its graph. It may call more: a recurrent layer, for
// instance, is one operator there and many products when it runs.
std::int64_t products_of(const torch::jit::Graph& graph);

// Whether `traced` are nine tenths of `eager` or more: autograd multiplies some gradients in other numbers.
bool are_most(std::int64_t traced, std::int64_t eager);

}  // namespace tbci::suite
