#include "suite/blocks/optimizers.hpp"

#include <utility>

#include "suite/blocks/fused_steps.hpp"
#include "suite/variants.hpp"

namespace tbci::suite {
namespace {

template <class Optimizer, class Options>
OptimizerFactory factory(const Options& options) {
  return [options](std::vector<torch::Tensor> parameters) {
    return std::make_unique<Optimizer>(std::move(parameters), options);
  };
}

// Listing 2 of the TorchBench paper, before its patch. As in Python, a gradient is taken out of its graph only if it is
// in one.
void zero_one_by_one(const std::vector<torch::Tensor>& parameters) {
  for (const torch::Tensor& parameter : parameters) {
    torch::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (gradient.grad_fn())
      gradient.detach_();
    else
      gradient.set_requires_grad(false);
    gradient.zero_();
    meet_variant();
  }
}

}  // namespace

void zero_gradients(torch::optim::Optimizer& optimizer) {
  if (!in_force(Variant::zeros_one_by_one)) {
    optimizer.zero_grad();
    return;
  }
  for (const auto& group : optimizer.param_groups()) zero_one_by_one(group.params());
}

void zero_gradients(torch::nn::Module& module) {
  if (in_force(Variant::zeros_one_by_one))
    zero_one_by_one(module.parameters());
  else
    module.zero_grad();
}

void take_step(torch::optim::Optimizer& optimizer) {
  if (in_force(Variant::fused_steps) && fused_step(optimizer))
    meet_variant();
  else
    optimizer.step();
}

void take_step_of_adam(torch::optim::Adam& optimizer) {
  if (in_force(Variant::fused_steps) && fused_step_of_adam(optimizer))
    meet_variant();
  else
    optimizer.torch::optim::Adam::step();
}

OptimizerFactory use_adam(const torch::optim::AdamOptions& options) {
  return factory<torch::optim::Adam>(options);
}

OptimizerFactory use_adam_w(const torch::optim::AdamWOptions& options) {
  return factory<torch::optim::AdamW>(options);
}

OptimizerFactory use_rmsprop(const torch::optim::RMSpropOptions& options) {
  return factory<torch::optim::RMSprop>(options);
}

OptimizerFactory use_sgd(const torch::optim::SGDOptions& options) {
  return factory<torch::optim::SGD>(options);
}

std::unique_ptr<torch::optim::Optimizer> adam(std::vector<torch::Tensor> parameters, double learning_rate) {
  return use_adam(learning_rate)(std::move(parameters));
}

}  // namespace tbci::suite
