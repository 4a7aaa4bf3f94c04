// The residual network of He et al., Deep Residual Learning for Image Recognition (2015), version 1.5 (as torchvision:
// the stride of a bottleneck is in its 3x3 convolution), and that of Xie et al., Aggregated Residual Transformations
// for Deep Neural Networks (2016).
#pragma once

#include <array>
#include <vector>

#include "suite/blocks/classifier.hpp"

namespace tbci::suite {

// Two 3x3 convolutions; or three, of which the middle one is 3x3 and has a fourth of the channels.
enum class ResidualBlock { basic, bottleneck };

// The 3x3 convolution of a bottleneck: ResNeXt's is wider, in groups.
struct BottleneckInner {
  std::int64_t widening = 1;
  std::int64_t groups = 1;
};

struct ResNetShape {
  ResidualBlock block;
  std::array<int, 4> blocks;  // of each stage
  std::int64_t width;         // channels of the first stage
  std::int64_t outputs;
  BottleneckInner inner = {};
};

class ResNet : public torch::nn::Module {
 public:
  explicit ResNet(const ResNetShape& shape);

  torch::Tensor forward(const torch::Tensor& images);

 private:
  class Block;

  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::Linear head_{nullptr};
};

}  // namespace tbci::suite
