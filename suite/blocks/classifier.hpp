// The workload of torchvision's classifiers in TorchBench: random images, soft targets, cross entropy, Adam.
#pragma once

#include <memory>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite {

struct Images {
  std::int64_t side;  // pixels
  std::int64_t classes;
};

template <class Module>
std::unique_ptr<Workload> classifier_workload(const Setup& setup, std::shared_ptr<Module> module,
                                              const Images& images) {
  module->to(setup.device);
  const auto on_device = torch::TensorOptions().device(setup.device);
  const torch::Tensor input = torch::randn({setup.batch, 3, images.side, images.side}, on_device);

  // TorchBench makes new targets in every step, with an extra forward pass. Here the pass is the same but its numbers
  // do not change, because a model cannot learn from random targets.
  const at::Generator numbers = at::globalContext().defaultGenerator(setup.device).clone();
  const auto loss = [module, input, numbers](const Tensors& outputs) {
    torch::Tensor target;
    {
      const torch::NoGradGuard no_gradients;
      at::Generator again = numbers.clone();
      target = torch::empty_like(module->forward(input)).uniform_(0.0, 1.0, again);
    }
    return at::cross_entropy_loss(outputs[0], target);
  };
  return standard_workload(setup, {.module = module,
                                   .forward = [module, input] { return Tensors{module->forward(input)}; },
                                   .loss = loss,
                                   .optimizer = use_adam(1e-3),
                                   .inputs = {input}});
}

// A convolution without bias, initialised as torchvision does it.
struct Convolution {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

inline torch::nn::Conv2d convolution(const Convolution& c) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(c.in, c.out, c.kernel)
                              .stride(c.stride)
                              .padding(c.kernel / 2)
                              .groups(c.groups)
                              .bias(false));
  torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
  return layer;
}

}  // namespace tbci::suite
