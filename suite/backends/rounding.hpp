// What rounding alone does to a model's results: its weights changed by a millionth.
#pragma once

#include <cstdint>

#include "suite/benchmark.hpp"

namespace tbci::suite {

// Changes each number by 2^-20 of itself, up or down, in place: about what the long sums of a product or convolution
// lose, so that a result that moves by it cannot be compared more closely. The seed says which way, and LibTorch's own
// random numbers stay as they were. Only tensors of 32 or 64 bit floating-point numbers are changed.
void add_rounding(const Tensors& tensors, std::uint64_t seed);

}  // namespace tbci::suite
