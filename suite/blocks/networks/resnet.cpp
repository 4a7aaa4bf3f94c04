#include "suite/blocks/networks/resnet.hpp"

#include "suite/blocks/chain.hpp"

namespace tbci::suite {

class ResNet::Block : public torch::nn::Module {
 public:
  Block(std::int64_t in, std::int64_t width, std::int64_t stride, const ResNetShape& shape) {
    if (shape.block == ResidualBlock::bottleneck) {
      const std::int64_t inner = width * shape.inner.widening;
      add({in, inner, 1});
      add({inner, inner, 3, stride, shape.inner.groups});
      add({inner, out_ = 4 * width, 1});
    } else {
      add({in, width, 3, stride});
      add({width, out_ = width, 3});
    }
    if (stride == 1 && in == out_) return;
    shortcut_ = register_module("downsample", chain());
    shortcut_->add(convolution({in, out_, 1, stride}).ptr()).batch_norm(out_);
  }

  std::int64_t channels() const { return out_; }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = norms_[i]->forward(convolutions_[i]->forward(x));
      if (i + 1 < convolutions_.size()) x.relu_();
    }
    x += shortcut_ ? shortcut_->forward(input) : input;
    return x.relu_();
  }

 private:
  void add(const Convolution& c) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution(c)));
    norms_.push_back(register_module("bn" + number, torch::nn::BatchNorm2d(c.out)));
  }

  std::int64_t out_ = 0;
  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  std::shared_ptr<Chain> shortcut_;
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
      blocks_.push_back(register_module(name, std::make_shared<Block>(channels, width, stride, shape)));
      channels = blocks_.back()->channels();
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
