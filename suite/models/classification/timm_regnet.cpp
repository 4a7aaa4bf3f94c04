// timm_regnet: Radosavovic et al., Designing Network Design Spaces (2020), RegNetY-12GF, as timm's regnety_120.
#include <array>

#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::timm_regnet {
namespace {

using namespace timm;

struct Shape {
  std::array<std::int64_t, 4> widths;
  std::array<int, 4> depths;
  std::int64_t group;  // channels of a group of the 3x3 convolutions
  Images images;
};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation) {
  return std::make_shared<ConvNorm>(ConvNormOptions{c, activation});
}

// A residual bottleneck without a narrow part: all its widths are equal.
class Block : public torch::nn::Module {
 public:
  Block(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t group) {
    first_ = register_module("conv1", layer({in, out, 1}, Activation::relu));
    grouped_ = register_module("conv2", layer({out, out, 3, stride, out / group}, Activation::relu));
    excite_ = register_module("se", std::make_shared<SqueezeExcite>(out, in / 4, Activation::relu));
    last_ = register_module("conv3", layer({out, out, 1}, Activation::none));
    if (in != out || stride != 1) {
      shortcut_ = register_module("downsample", layer({in, out, 1, stride}, Activation::none));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor branch = last_->forward(excite_->forward(grouped_->forward(first_->forward(x))));
    return torch::relu(branch + (shortcut_ ? shortcut_->forward(x) : x));
  }

 private:
  std::shared_ptr<ConvNorm> first_, grouped_, last_, shortcut_;
  std::shared_ptr<SqueezeExcite> excite_;
};

class RegNet : public torch::nn::Module {
 public:
  explicit RegNet(const Shape& shape) {
    std::int64_t channels = 32;
    stem_ = register_module("stem", layer({3, channels, 3, 2}, Activation::relu));
    for (std::size_t stage = 0; stage < shape.widths.size(); ++stage) {
      for (int i = 0; i < shape.depths[stage]; ++i) {
        const std::string name = "s" + std::to_string(stage + 1) + "_b" + std::to_string(i + 1);
        auto block = std::make_shared<Block>(channels, shape.widths[stage], i == 0 ? 2 : 1, shape.group);
        blocks_.push_back(register_module(name, block));
        channels = shape.widths[stage];
      }
    }
    head_ = register_module("head", torch::nn::Linear(channels, shape.images.classes));
    torch::nn::init::normal_(head_->weight, 0.0, 0.01);
    torch::nn::init::zeros_(head_->bias);
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_->forward(images);
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(pooled(x));
  }

 private:
  std::shared_ptr<ConvNorm> stem_;
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::Linear head_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{
      .widths = {224, 448, 896, 2240}, .depths = {2, 5, 11, 1}, .group = 112, .images = {.side = 224, .classes = 1000}};
  const Shape ci{
      .widths = {32, 64, 128, 320}, .depths = {1, 2, 4, 1}, .group = 16, .images = {.side = 64, .classes = 100}};
  const Shape shape = by_size(setup, paper, ci);
  return timm::workload(setup, std::make_shared<RegNet>(shape), shape.images);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_regnet",
           .domain = "computer vision",
           .task = "image classification",
           .source = "timm (regnety_120)",
           .parameters = 51822544,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 10, .infer = 64},
           .make = make}};
}

}  // namespace tbci::suite::models::timm_regnet
