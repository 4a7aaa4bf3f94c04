// timm_resnest: Zhang et al., ResNeSt: Split-Attention Networks (2020), as timm's resnest14d.
#include <array>

#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::timm_resnest {
namespace {

using namespace timm;

struct Shape {
  std::int64_t width;  // of the first stage
  Images images;
};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation = Activation::relu) {
  return std::make_shared<ConvNorm>(ConvNormOptions{c, activation});
}

// A convolution to two splits, which are then mixed channel by channel by a softmax over the splits.
class SplitAttention : public torch::nn::Module {
 public:
  explicit SplitAttention(std::int64_t channels) : channels_(channels) {
    convolution_ = register_module("conv", layer({channels, splits * channels, 3, 1, splits}));
    const std::int64_t reduced = std::max<std::int64_t>(channels * splits / 4, 32);
    reduce_ = register_module(
        "fc1", std::make_shared<ConvNorm>(ConvNormOptions{.convolution = {channels, reduced, 1}, .bias = true}));
    expand_ = register_module("fc2", torch::nn::Conv2d(torch::nn::Conv2dOptions(reduced, splits * channels, 1)));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = convolution_->forward(input);
    const std::int64_t batch = x.size(0);
    x = x.reshape({batch, splits, channels_, x.size(2), x.size(3)});
    const torch::Tensor context = x.sum(1).mean({2, 3}, true);
    torch::Tensor weights = expand_->forward(reduce_->forward(context));
    weights = torch::softmax(weights.view({batch, 1, splits, -1}).transpose(1, 2), 1).reshape({batch, -1});
    weights = weights.view({batch, -1, 1, 1}).reshape({batch, splits, channels_, 1, 1});
    return (x * weights).sum(1).contiguous();
  }

 private:
  static constexpr std::int64_t splits = 2;

  std::int64_t channels_;
  std::shared_ptr<ConvNorm> convolution_, reduce_;
  torch::nn::Conv2d expand_{nullptr};
};

class Bottleneck : public torch::nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) : stride_(stride) {
    first_ = register_module("conv1", layer({in, width, 1}));
    attention_ = register_module("conv2", std::make_shared<SplitAttention>(width));
    last_ = register_module("conv3", layer({width, 4 * width, 1}, Activation::none));
    shortcut_ = register_module("downsample", layer({in, 4 * width, 1}, Activation::none));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor branch = attention_->forward(first_->forward(x));
    if (stride_ > 1) branch = torch::avg_pool2d(branch, 3, stride_, 1);
    branch = last_->forward(branch);
    const torch::Tensor shrunk =
        stride_ > 1 ? torch::avg_pool2d(x, 2, stride_, 0, /*ceil_mode=*/true, /*count_include_pad=*/false) : x;
    branch += shortcut_->forward(shrunk);
    return branch.relu_();
  }

 private:
  std::int64_t stride_;
  std::shared_ptr<ConvNorm> first_, last_, shortcut_;
  std::shared_ptr<SplitAttention> attention_;
};

class ResNest : public torch::nn::Module {
 public:
  explicit ResNest(const Shape& shape) {
    const std::int64_t half = shape.width / 2;
    const std::array<Convolution, 3> stem{Convolution{3, half, 3, 2}, Convolution{half, half, 3},
                                          Convolution{half, shape.width, 3}};
    for (std::size_t i = 0; i < stem.size(); ++i) {
      stem_.push_back(register_module("stem" + std::to_string(i), layer(stem[i])));
    }
    std::int64_t channels = shape.width;
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t width = shape.width << stage;
      blocks_.push_back(register_module("layer" + std::to_string(stage + 1),
                                        std::make_shared<Bottleneck>(channels, width, stage == 0 ? 1 : 2)));
      channels = 4 * width;
    }
    head_ = register_module("fc", torch::nn::Linear(channels, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = images;
    for (const auto& convolution : stem_) x = convolution->forward(x);
    x = torch::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(pooled(x));
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> stem_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  torch::nn::Linear head_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.width = 64, .images = {.side = 224, .classes = 1000}},
                                     {.width = 32, .images = {.side = 64, .classes = 100}});
  return timm::workload(setup, std::make_shared<ResNest>(shape), shape.images);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_resnest",
           .domain = "computer vision",
           .task = "image classification",
           .source = "timm (resnest14d)",
           .parameters = 10611688,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 4, .infer = 20},
           .make = make}};
}

}  // namespace tbci::suite::models::timm_resnest
