// The gradient of the loss on new tasks after five steps of learning on each, with respect to the weights before those
// steps. It passes through the steps, so it is of second order. The network: stages of convolution, batch norm, ReLU
// and pooling, and a linear layer.
#pragma once

#include "suite/blocks/few_shot.hpp"

namespace tbci::suite {

constexpr std::size_t convolution_stages = 3;

// The sum of the tasks' losses. Adds its gradients to those of the weights: of each stage weight, bias, scale and
// shift, then weight and bias of the linear layer.
using MetaGradient = torch::Tensor (*)(const Tensors& weights, const Tasks& tasks);

// One task after another: each loss is differentiated before the next task starts.
torch::Tensor meta_gradient_one_by_one(const Tensors& weights, const Tasks& tasks);

// All tasks at once, each with its own weights: convolutions in groups, and batched products.
torch::Tensor meta_gradient_all_at_once(const Tensors& weights, const Tasks& tasks);

}  // namespace tbci::suite
