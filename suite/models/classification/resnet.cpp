// resnet18, resnet50 and resnet152: He et al., Deep Residual Learning for Image Recognition (2015), version 1.5 (as
// torchvision: the stride of a bottleneck is in its 3x3 convolution). resnext50_32x4d: Xie et al., Aggregated Residual
// Transformations for Deep Neural Networks (2016).
#include <array>

#include "suite/blocks/classifier.hpp"

namespace tbci::suite::models {
namespace {

// The 3x3 convolution of a bottleneck: ResNeXt's is wider, in groups.
struct Inner {
  std::int64_t widening = 1;
  std::int64_t groups = 1;
};

struct Shape {
  bool bottleneck;
  std::array<int, 4> blocks;
  std::int64_t width;  // channels of the first stage
  Images images;
  Inner inner = {};
};

class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t in, std::int64_t width, std::int64_t stride, const Shape& shape) {
    const std::int64_t out = shape.bottleneck ? 4 * width : width;
    if (shape.bottleneck) {
      const std::int64_t inner = width * shape.inner.widening;
      add({in, inner, 1});
      add({inner, inner, 3, stride, shape.inner.groups});
      add({inner, out, 1});
    } else {
      add({in, width, 3, stride});
      add({width, out, 3});
    }
    if (stride != 1 || in != out) {
      downsample_ = register_module(
          "downsample", torch::nn::Sequential(convolution({in, out, 1, stride}), torch::nn::BatchNorm2d(out)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = norms_[i]->forward(convolutions_[i]->forward(x));
      if (i + 1 < convolutions_.size()) x.relu_();
    }
    x += downsample_.is_empty() ? input : downsample_->forward(input);
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
  torch::nn::Sequential downsample_{nullptr};
};

class ResNet : public torch::nn::Module {
 public:
  explicit ResNet(const Shape& shape) {
    stem_ = register_module("conv1", convolution({3, shape.width, 7, 2}));
    norm_ = register_module("bn1", torch::nn::BatchNorm2d(shape.width));
    std::int64_t channels = shape.width;
    for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
      const std::int64_t width = shape.width << stage;
      for (int i = 0; i < shape.blocks[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        const std::string name = "layer" + std::to_string(stage + 1) + "_" + std::to_string(i);
        auto block = std::make_shared<ResidualBlock>(channels, width, stride, shape);
        blocks_.push_back(register_module(name, block));
        channels = shape.bottleneck ? 4 * width : width;
      }
    }
    head_ = register_module("fc", torch::nn::Linear(channels, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = norm_->forward(stem_->forward(images)).relu_();
    x = torch::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  torch::nn::Linear head_{nullptr};
};

Benchmark benchmark(const std::string& name, std::int64_t parameters, const BatchSizes& paper, const BatchSizes& ci,
                    const Shape& paper_shape, const Shape& ci_shape) {
  const auto make = [paper_shape, ci_shape](const Setup& setup) {
    const Shape& shape = setup.size == Size::paper ? paper_shape : ci_shape;
    return classifier_workload(setup, std::make_shared<ResNet>(shape), shape.images);
  };
  return {name, "computer vision", "image classification", "torchvision", parameters, paper, ci, make};
}

}  // namespace

std::vector<Benchmark> resnet() {
  const std::array<int, 4> of_18{2, 2, 2, 2}, of_50{3, 4, 6, 3}, of_152{3, 8, 36, 3};
  const Images paper{224, 1000}, ci{64, 100};
  return {
      benchmark("resnet18", 11689512, {16, 8}, {6, 24}, {false, of_18, 64, paper}, {false, of_18, 16, ci}),
      benchmark("resnet50", 25557032, {32, 32}, {2, 12}, {true, of_50, 64, paper}, {true, of_50, 16, ci}),
      benchmark("resnet152", 60192808, {32, 32}, {4, 48}, {true, of_152, 64, paper}, {true, of_152, 8, {32, 100}}),
      benchmark("resnext50_32x4d", 25028904, {8, 8}, {3, 24}, {true, of_50, 64, paper, {2, 32}},
                {true, of_50, 16, ci, {2, 8}}),
  };
}

}  // namespace tbci::suite::models
