// A convolution with a batch norm and an activation: the basic part of most image models.
#pragma once

#include <cstdint>

#include "suite/blocks/activation.hpp"
#include "suite/blocks/classifier.hpp"

namespace tbci::suite {

struct Norm {
  double epsilon = 1e-5;
  double momentum = 0.1;
};

torch::nn::BatchNorm2d batch_norm(std::int64_t channels, const Norm& norm = {});

class ConvNorm : public torch::nn::Module {
 public:
  ConvNorm(const Convolution& c, Activation activation, const Norm& norm = {});

  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::Conv2d convolution_;
  torch::nn::BatchNorm2d norm_;
  Activation activation_;
};

}  // namespace tbci::suite
