// How a model names the optimizer that trains it: a factory that is called with the parameters.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

using OptimizerFactory = std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<torch::Tensor>)>;

// The options also take a learning rate alone: use_adam(1e-3).
OptimizerFactory use_adam(const torch::optim::AdamOptions& options);
OptimizerFactory use_adam_w(const torch::optim::AdamWOptions& options);
OptimizerFactory use_rmsprop(const torch::optim::RMSpropOptions& options);
OptimizerFactory use_sgd(const torch::optim::SGDOptions& options);

// For a workload that calls its optimizer itself.
std::unique_ptr<torch::optim::Optimizer> adam(std::vector<torch::Tensor> parameters, double learning_rate);

}  // namespace tbci::suite
