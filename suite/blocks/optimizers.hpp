// How a model names the optimizer that trains it: a factory that is called with the parameters. And what it calls of
// it: these are the places where the paper's patches of training act (suite/variants.hpp).
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

// Before a backward pass: drops the gradients, or fills them with zeros one by one (Variant::zeros_one_by_one).
void zero_gradients(torch::optim::Optimizer& optimizer);
void zero_gradients(torch::nn::Module& module);

// The optimizer's step, or one that computes the same in a few calls (Variant::fused_steps).
void take_step(torch::optim::Optimizer& optimizer);

// For a class that derives from Adam, to be called by its own `step`.
void take_step_of_adam(torch::optim::Adam& optimizer);

}  // namespace tbci::suite
