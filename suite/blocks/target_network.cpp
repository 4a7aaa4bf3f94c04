#include "suite/blocks/target_network.hpp"

namespace tbci::suite {

void follow(const torch::nn::Module& learning, const torch::nn::Module& target, const double part) {
  const torch::NoGradGuard no_gradients;
  const Tensors from = learning.parameters();
  Tensors to = target.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) to[i].copy_(part * from[i] + (1.0 - part) * to[i]);
}

}  // namespace tbci::suite
