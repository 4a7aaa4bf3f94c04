// The residual network of He et al., Deep Residual Learning for Image Recognition (2015), version 1.5 (as torchvision:
// the stride of a bottleneck is in its 3x3 convolution).
#pragma once

#include <array>
#include <vector>

#include "suite/blocks/classifier.hpp"

namespace tbci::suite {

struct ResNetShape {
  std::array<int, 4> blocks;  // bottlenecks of each stage
  std::int64_t width;         // channels of the first stage
  std::int64_t outputs;
};

class ResNet : public torch::nn::Module {
 public:
  explicit ResNet(const ResNetShape& shape);

  torch::Tensor forward(const torch::Tensor& images);

 private:
  class Bottleneck;

  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  torch::nn::Linear head_{nullptr};
};

}  // namespace tbci::suite
