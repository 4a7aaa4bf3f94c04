// shufflenet_v2_x1_0: Ma et al., ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design (2018), as
// in torchvision.
#include <array>

#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::shufflenet {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::array<std::int64_t, 5> channels;  // of the stem, the three stages, the last convolution
  Images images;
};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation) {
  return std::make_shared<ConvNorm>(c, activation);
}

// Lets the two halves of the channels take turns, so that the next unit mixes them.
torch::Tensor shuffle(const torch::Tensor& x) {
  const std::int64_t batch = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const torch::Tensor halves = x.view({batch, 2, channels / 2, height, width});
  return halves.transpose(1, 2).contiguous().view({batch, channels, height, width});
}

// One half of the channels passes a depthwise convolution between two pointwise ones. The other half stays as it is,
// or, where the unit halves the side, both branches see all channels.
class Unit : public nn::Module {
 public:
  Unit(std::int64_t in, std::int64_t out, std::int64_t stride) {
    const std::int64_t half = out / 2;
    if (stride > 1) {
      side_depthwise_ = register_module("side_depthwise", layer({in, in, 3, stride, in}, Activation::none));
      side_ = register_module("side", layer({in, half, 1}, Activation::relu));
    }
    first_ = register_module("first", layer({stride > 1 ? in : half, half, 1}, Activation::relu));
    depthwise_ = register_module("depthwise", layer({half, half, 3, stride, half}, Activation::none));
    second_ = register_module("second", layer({half, half, 1}, Activation::relu));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    if (side_) return shuffle(torch::cat({side_->forward(side_depthwise_->forward(x)), main(x)}, 1));
    const Tensors halves = x.chunk(2, 1);
    return shuffle(torch::cat({halves[0], main(halves[1])}, 1));
  }

 private:
  torch::Tensor main(const torch::Tensor& x) { return second_->forward(depthwise_->forward(first_->forward(x))); }

  std::shared_ptr<ConvNorm> side_depthwise_, side_, first_, depthwise_, second_;
};

class ShuffleNet : public nn::Module {
 public:
  explicit ShuffleNet(const Shape& shape) {
    constexpr int counts[] = {4, 8, 4};
    stem_ = register_module("conv1", layer({3, shape.channels[0], 3, 2}, Activation::relu));
    for (std::size_t stage = 0; stage < 3; ++stage) {
      const std::int64_t in = shape.channels[stage], out = shape.channels[stage + 1];
      for (int i = 0; i < counts[stage]; ++i) {
        const std::string name = "stage" + std::to_string(stage + 2) + "_" + std::to_string(i);
        units_.push_back(register_module(name, std::make_shared<Unit>(i == 0 ? in : out, out, i == 0 ? 2 : 1)));
      }
    }
    last_ = register_module("conv5", layer({shape.channels[3], shape.channels[4], 1}, Activation::relu));
    head_ = register_module("fc", nn::Linear(shape.channels[4], shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = torch::max_pool2d(stem_->forward(images), 3, 2, 1);
    for (const auto& unit : units_) x = unit->forward(x);
    return head_->forward(last_->forward(x).mean({2, 3}));
  }

 private:
  std::shared_ptr<ConvNorm> stem_, last_;
  std::vector<std::shared_ptr<Unit>> units_;
  nn::Linear head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape =
        by_size<Shape>(setup, {.channels = {24, 116, 232, 464, 1024}, .images = {.side = 224, .classes = 1000}},
                       {.channels = {24, 32, 64, 128, 256}, .images = {.side = 64, .classes = 100}});
    return classifier_workload(setup, std::make_shared<ShuffleNet>(shape), shape.images);
  };
  const std::string task = "image classification";
  return {{.name = "shufflenet_v2_x1_0",
           .domain = "computer vision",
           .task = task,
           .source = "torchvision",
           .parameters = 2278604,
           .paper_batch = {.train = 128, .infer = 64},
           .ci_batch = {.train = 12, .infer = 96},
           .make = make}};
}

}  // namespace tbci::suite::models::shufflenet
