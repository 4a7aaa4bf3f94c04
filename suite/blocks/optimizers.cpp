#include "suite/blocks/optimizers.hpp"

#include <utility>

namespace tbci::suite {
namespace {

template <class Optimizer, class Options>
OptimizerFactory factory(const Options& options) {
  return [options](std::vector<torch::Tensor> parameters) {
    return std::make_unique<Optimizer>(std::move(parameters), options);
  };
}

}  // namespace

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
