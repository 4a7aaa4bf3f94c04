// What the image models of the package timm share: convolutions with their norm and activation, squeeze-and-excitation,
// and how its classifiers are trained.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "suite/blocks/activation.hpp"
#include "suite/blocks/classifier.hpp"
#include "suite/blocks/random_labels.hpp"

namespace tbci::suite::timm {

// Half the kernel on each side; or TensorFlow's "SAME": as much as the stride needs, an odd pixel to the right and
// below.
enum class Padding { half, same };

struct Window {
  std::int64_t kernel;
  std::int64_t stride;
};

// Pads the image as Padding::same does.
torch::Tensor pad_same(const torch::Tensor& x, const Window& window, double value = 0.0);

struct ConvNormOptions {
  Convolution convolution;
  Activation activation = Activation::relu;
  Padding padding = Padding::half;
  double epsilon = 1e-5;
  double momentum = 0.1;
  bool bias = false;  // of the convolution, in addition to the norm's
};

class ConvNorm : public torch::nn::Module {
 public:
  explicit ConvNorm(const ConvNormOptions& options);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  Window window_;
  Activation activation_;
  bool pads_;  // as the image needs; otherwise the convolution does it
  torch::nn::Conv2d convolution_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
};

// Hu et al., Squeeze-and-Excitation Networks (2017).
class SqueezeExcite : public torch::nn::Module {
 public:
  SqueezeExcite(std::int64_t channels, std::int64_t reduced, Activation activation);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  Activation activation_;
  torch::nn::Conv2d reduce_{nullptr}, expand_{nullptr};
};

// The mean of each channel, [batch, channels].
torch::Tensor pooled(const torch::Tensor& x);

// Stochastic depth: in training, drops a sample's branch with this probability.
torch::Tensor drop_path(const torch::Tensor& branch, double rate, bool training);

struct Sgd {
  double learning_rate;
  double weight_decay;  // not of vectors (biases, norms), and not of those named in `undecayed`
  bool nesterov;
  std::set<std::string> undecayed = {};
};

std::unique_ptr<torch::optim::Optimizer> make_sgd(const torch::nn::Module& module, const Sgd& sgd);

// Random images, in each step random labels, cross entropy, SGD with Nesterov's momentum.
template <class Module>
std::unique_ptr<Workload> workload(const Setup& setup, std::shared_ptr<Module> module, const Images& images,
                                   const std::set<std::string>& undecayed = {}) {
  module->to(setup.device);
  const torch::Tensor input =
      torch::randn({setup.batch, 3, images.side, images.side}, torch::TensorOptions().device(setup.device));

  const auto optimizer = [module, undecayed](const std::vector<torch::Tensor>&) {
    return make_sgd(*module, {.learning_rate = 1e-4, .weight_decay = 1e-4, .nesterov = true, .undecayed = undecayed});
  };
  return standard_workload(setup, {.module = module,
                                   .forward = [module, input] { return Tensors{module->forward(input)}; },
                                   .loss = [](const Tensors& outputs) { return loss_on_random_labels(outputs[0]); },
                                   .optimizer = optimizer,
                                   .inputs = {input}});
}

}  // namespace tbci::suite::timm
