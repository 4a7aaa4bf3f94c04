#include "suite/blocks/resnet.hpp"

namespace tbci::suite {

class ResNet::Bottleneck : public torch::nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) {
    add({in, width, 1});
    add({width, width, 3, stride});
    add({width, 4 * width, 1});
    if (stride == 1 && in == 4 * width) return;
    shortcut_ = register_module("downsample0", convolution({in, 4 * width, 1, stride}));
    shortcut_norm_ = register_module("downsample1", torch::nn::BatchNorm2d(4 * width));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = norms_[0]->forward(convolutions_[0]->forward(input)).relu_();
    x = norms_[1]->forward(convolutions_[1]->forward(x)).relu_();
    x = norms_[2]->forward(convolutions_[2]->forward(x));
    x += shortcut_.is_empty() ? input : shortcut_norm_->forward(shortcut_->forward(input));
    return x.relu_();
  }

 private:
  void add(const Convolution& c) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution(c)));
    norms_.push_back(register_module("bn" + number, torch::nn::BatchNorm2d(c.out)));
  }

  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Conv2d shortcut_{nullptr};
  torch::nn::BatchNorm2d shortcut_norm_{nullptr};
};

ResNet::ResNet(const ResNetShape& shape) {
  stem_ = register_module("conv1", convolution({3, shape.width, 7, 2}));
  norm_ = register_module("bn1", torch::nn::BatchNorm2d(shape.width));
  std::int64_t channels = shape.width;
  for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
    const std::int64_t width = shape.width << stage;
    for (int i = 0; i < shape.blocks[stage]; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      const std::string name = "layer" + std::to_string(stage + 1) + "_" + std::to_string(i);
      blocks_.push_back(register_module(name, std::make_shared<Bottleneck>(channels, width, stride)));
      channels = 4 * width;
    }
  }
  head_ = register_module("fc", torch::nn::Linear(channels, shape.outputs));
}

torch::Tensor ResNet::forward(const torch::Tensor& images) {
  torch::Tensor x = norm_->forward(stem_->forward(images)).relu_();
  x = torch::max_pool2d(x, 3, 2, 1);
  for (const auto& block : blocks_) x = block->forward(x);
  return head_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
}

}  // namespace tbci::suite
