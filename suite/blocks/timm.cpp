#include "suite/blocks/timm.hpp"

#include <algorithm>
#include <cmath>

namespace tbci::suite::timm {
namespace {

std::int64_t missing(const std::int64_t size, const Window& window) {
  const std::int64_t steps = (size + window.stride - 1) / window.stride;
  return std::max<std::int64_t>((steps - 1) * window.stride + window.kernel - size, 0);
}

}  // namespace

torch::Tensor pad_same(const torch::Tensor& x, const Window& window, const double value) {
  const std::int64_t rows = missing(x.size(-2), window), columns = missing(x.size(-1), window);
  return torch::constant_pad_nd(x, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2}, value);
}

ConvNorm::ConvNorm(const ConvNormOptions& options)
    : window_{options.convolution.kernel, options.convolution.stride},
      activation_(options.activation),
      pads_(options.padding == Padding::same && options.convolution.stride > 1) {
  const Convolution& c = options.convolution;
  convolution_ = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(c.in, c.out, c.kernel)
                                                               .stride(c.stride)
                                                               .padding(pads_ ? 0 : c.kernel / 2)
                                                               .groups(c.groups)
                                                               .bias(options.bias)));
  const auto fan_out = static_cast<double>(c.kernel * c.kernel * c.out / c.groups);
  torch::nn::init::normal_(convolution_->weight, 0.0, std::sqrt(2.0 / fan_out));
  norm_ = register_module(
      "bn",
      torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(c.out).eps(options.epsilon).momentum(options.momentum)));
}

torch::Tensor ConvNorm::forward(const torch::Tensor& x) {
  return activate(activation_, norm_->forward(convolution_->forward(pads_ ? pad_same(x, window_) : x)));
}

SqueezeExcite::SqueezeExcite(const std::int64_t channels, const std::int64_t reduced, const Activation activation)
    : activation_(activation) {
  reduce_ = register_module("reduce", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, reduced, 1)));
  expand_ = register_module("expand", torch::nn::Conv2d(torch::nn::Conv2dOptions(reduced, channels, 1)));
}

torch::Tensor SqueezeExcite::forward(const torch::Tensor& x) {
  const torch::Tensor squeezed = activate(activation_, reduce_->forward(x.mean({2, 3}, true)));
  return x * expand_->forward(squeezed).sigmoid();
}

torch::Tensor pooled(const torch::Tensor& x) {
  return x.mean({2, 3}, true).flatten(1);
}

torch::Tensor drop_path(const torch::Tensor& branch, const double rate, const bool training) {
  if (rate == 0.0 || !training) return branch;
  const torch::Tensor kept = torch::empty({branch.size(0), 1, 1, 1}, branch.options()).bernoulli_(1.0 - rate);
  return branch * kept.div_(1.0 - rate);
}

std::unique_ptr<torch::optim::Optimizer> make_sgd(const torch::nn::Module& module, const Sgd& sgd) {
  std::vector<torch::Tensor> decayed, others;
  for (const auto& parameter : module.named_parameters()) {
    const bool decays = parameter.value().dim() > 1 && sgd.undecayed.count(parameter.key()) == 0;
    (decays ? decayed : others).push_back(parameter.value());
  }
  auto options = torch::optim::SGDOptions(sgd.learning_rate).momentum(0.9).nesterov(sgd.nesterov);
  const auto group = [&options](std::vector<torch::Tensor> parameters, const double decay) {
    auto own = std::make_unique<torch::optim::SGDOptions>(options);
    own->weight_decay(decay);
    return torch::optim::OptimizerParamGroup(std::move(parameters), std::move(own));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.push_back(group(std::move(others), 0.0));
  groups.push_back(group(std::move(decayed), sgd.weight_decay));
  return std::make_unique<torch::optim::SGD>(std::move(groups), options);
}

}  // namespace tbci::suite::timm
