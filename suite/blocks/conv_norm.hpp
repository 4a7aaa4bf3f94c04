// A convolution with a batch norm and an activation, the brick of most image models; and how such models round the
// number of channels when they are made narrower.
#pragma once

#include <cstdint>

#include "suite/blocks/classifier.hpp"

namespace tbci::suite {

enum class Activation { none, relu, relu6, hardswish };

// In place, as the originals do it.
torch::Tensor activate(Activation activation, torch::Tensor x);

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

// Channel counts are multiples of 8 and never lose more than a tenth by the rounding.
std::int64_t scaled_channels(std::int64_t channels, double width);

}  // namespace tbci::suite
