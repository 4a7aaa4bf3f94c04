// Target networks of reinforcement learning: copies that follow what learns slowly.
#pragma once

#include "suite/benchmark.hpp"

namespace tbci::suite {

// Moves the parameters of `target` by this part of the way to those of `learning`. Without gradients.
void follow(const torch::nn::Module& learning, const torch::nn::Module& target, double part);

}  // namespace tbci::suite
