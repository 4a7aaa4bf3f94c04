#include "suite/blocks/conv_norm.hpp"

#include <algorithm>

namespace tbci::suite {

torch::Tensor activate(const Activation activation, torch::Tensor x) {
  switch (activation) {
    case Activation::relu:
      return x.relu_();
    case Activation::relu6:
      return torch::relu6_(x);
    case Activation::hardswish:
      return torch::hardswish_(x);
    case Activation::none:
      break;
  }
  return x;
}

torch::nn::BatchNorm2d batch_norm(const std::int64_t channels, const Norm& norm) {
  return torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(channels).eps(norm.epsilon).momentum(norm.momentum));
}

ConvNorm::ConvNorm(const Convolution& c, const Activation activation, const Norm& norm)
    : convolution_(register_module("conv", convolution(c))),
      norm_(register_module("norm", batch_norm(c.out, norm))),
      activation_(activation) {}

torch::Tensor ConvNorm::forward(const torch::Tensor& x) {
  return activate(activation_, norm_->forward(convolution_->forward(x)));
}

std::int64_t scaled_channels(const std::int64_t channels, const double width) {
  const double exact = static_cast<double>(channels) * width;
  std::int64_t rounded = std::max<std::int64_t>(8, (static_cast<std::int64_t>(exact) + 4) / 8 * 8);
  if (static_cast<double>(rounded) < 0.9 * exact) rounded += 8;
  return rounded;
}

}  // namespace tbci::suite
