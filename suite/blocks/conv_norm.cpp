#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite {

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

}  // namespace tbci::suite
