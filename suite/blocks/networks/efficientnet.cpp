#include "suite/blocks/networks/efficientnet.hpp"

#include <cmath>

#include "suite/blocks/channels.hpp"

namespace tbci::suite::timm {
namespace {

struct Stage {
  int repeats;
  std::int64_t kernel, stride, expansion, channels;
};

constexpr std::array<Stage, 7> of_b0{{{1, 3, 1, 1, 16},
                                      {2, 3, 2, 6, 24},
                                      {2, 5, 2, 6, 40},
                                      {3, 3, 2, 6, 80},
                                      {3, 5, 1, 6, 112},
                                      {4, 5, 2, 6, 192},
                                      {1, 3, 1, 6, 320}}};

int repeats(const Stage& stage, const double factor) {
  return static_cast<int>(std::ceil(stage.repeats * factor));
}

}  // namespace

InvertedResidual::InvertedResidual(const Shape& shape, const EfficientNetShape& network)
    : residual_(shape.stride == 1 && shape.in == shape.out), drop_path_(shape.drop_path) {
  const auto layer = [&](const char* name, const Convolution& c, const Activation activation) {
    return register_module(
        name, std::make_shared<ConvNorm>(ConvNormOptions{
                  .convolution = c, .activation = activation, .padding = network.padding, .epsilon = network.epsilon}));
  };
  const std::int64_t wide = shape.expansion * shape.in;
  if (shape.expansion > 1) widen_ = layer("widen", {shape.in, wide, 1}, Activation::silu);
  depthwise_ = layer("depthwise", {wide, wide, shape.kernel, shape.stride, wide}, Activation::silu);
  const auto reduced = static_cast<std::int64_t>(std::lround(0.25 * static_cast<double>(shape.in)));
  excite_ = register_module("se", std::make_shared<SqueezeExcite>(wide, reduced, Activation::silu));
  narrow_ = layer("narrow", {wide, shape.out, 1}, Activation::none);
}

torch::Tensor InvertedResidual::forward(const torch::Tensor& x) {
  const torch::Tensor wide = widen_ ? widen_->forward(x) : x;
  const torch::Tensor y = narrow_->forward(excite_->forward(depthwise_->forward(wide)));
  return residual_ ? drop_path(y, drop_path_, is_training()) + x : y;
}

EfficientNetStages::EfficientNetStages(const EfficientNetShape& shape) {
  std::int64_t channels = scaled_channels(32, shape.width);
  stem_ = register_module("stem", std::make_shared<ConvNorm>(ConvNormOptions{.convolution = {3, channels, 3, 2},
                                                                             .activation = Activation::silu,
                                                                             .padding = shape.padding,
                                                                             .epsilon = shape.epsilon}));
  int all = 0, built = 0;
  for (const Stage& stage : of_b0) all += repeats(stage, shape.depth);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.stages); ++i) {
    const Stage& stage = of_b0.at(i);
    const std::int64_t out = scaled_channels(stage.channels, shape.width);
    stages_.emplace_back();
    for (int block = 0; block < repeats(stage, shape.depth); ++block, ++built) {
      const InvertedResidual::Shape of_block{
          channels, out, stage.kernel, block == 0 ? stage.stride : 1, stage.expansion, shape.drop_path * built / all};
      stages_.back().push_back(register_module("block" + std::to_string(i) + "_" + std::to_string(block),
                                               std::make_shared<InvertedResidual>(of_block, shape)));
      channels = out;
    }
    channels_.push_back(channels);
  }
}

Tensors EfficientNetStages::forward(const torch::Tensor& images) {
  Tensors outputs;
  torch::Tensor x = stem_->forward(images);
  for (const auto& stage : stages_) {
    for (const auto& block : stage) x = block->forward(x);
    outputs.push_back(x);
  }
  return outputs;
}

}  // namespace tbci::suite::timm
