#include "suite/blocks/detection/backbone.hpp"

#include <cmath>

namespace tbci::suite {

using torch::Tensor;
namespace nn = torch::nn;

FrozenNorm::FrozenNorm(std::int64_t channels, Style style, double scale, double variance)
    : style_(style), epsilon_(style == Style::detectron2 ? 1e-5 : 0.0) {
  weight_ = register_buffer("weight", torch::full({channels}, scale));
  bias_ = register_buffer("bias", torch::zeros({channels}));
  mean_ = register_buffer("running_mean", torch::zeros({channels}));
  variance_ = register_buffer("running_var", torch::full({channels}, variance - epsilon_));
}

Tensor FrozenNorm::forward(const Tensor& x) {
  if (style_ == Style::detectron2 && !x.requires_grad()) {
    return at::batch_norm(x, weight_, bias_, mean_, variance_, false, 0.1, epsilon_, true);
  }
  const Tensor scale = weight_ * (variance_ + epsilon_).rsqrt();
  const Tensor shift = bias_ - mean_ * scale;
  return x * scale.reshape({1, -1, 1, 1}) + shift.reshape({1, -1, 1, 1});
}

ConvolutionNorm::ConvolutionNorm(const NormedConvolution& c, Style style, double scale, double variance) {
  convolution_ = nn::Conv2d(nn::Conv2dOptions(c.in, c.out, c.kernel)
                                .stride(c.stride)
                                .padding(c.kernel / 2 * c.dilation)
                                .dilation(c.dilation)
                                .bias(false));
  nn::init::kaiming_normal_(convolution_->weight, 0.0, torch::kFanIn, torch::kReLU);
  register_module("convolution", convolution_);
  norm_ = register_module("norm", std::make_shared<FrozenNorm>(c.out, style, scale, variance));
}

class ResidualStage::Block : public nn::Module {
 public:
  Block(const Stage& stage, Style style) {
    // Norms that are not trained leave the activations as large as the weights make them. A small scale of the branch
    // keeps those of thirty blocks in bounds, as trained statistics do.
    constexpr double small = 0.2;
    const std::int64_t out = 4 * stage.width;
    const bool stride_first = style == Style::detectron2;
    if (stage.in != out) add(shortcut_, "shortcut", {stage.in, out, 1, stage.stride}, style, 1.0);
    add(narrow_, "conv1", {stage.in, stage.width, 1, stride_first ? stage.stride : 1}, style, 1.0);
    add(look_, "conv2", {stage.width, stage.width, 3, stride_first ? 1 : stage.stride, stage.dilation}, style, 1.0);
    add(widen_, "conv3", {stage.width, out, 1}, style, small);
  }

  Tensor forward(const Tensor& input) {
    Tensor x = narrow_->forward(input).relu_();
    x = look_->forward(x).relu_();
    x = widen_->forward(x);
    x += shortcut_ ? shortcut_->forward(input) : input;
    return x.relu_();
  }

 private:
  void add(std::shared_ptr<ConvolutionNorm>& layer, const char* name, const NormedConvolution& c, Style style,
           double scale) {
    layer = register_module(name, std::make_shared<ConvolutionNorm>(c, style, scale));
  }

  std::shared_ptr<ConvolutionNorm> shortcut_, narrow_, look_, widen_;
};

ResidualStage::ResidualStage(const Stage& stage, Style style) {
  Stage block = stage;
  for (int i = 0; i < stage.blocks; ++i) {
    blocks_.push_back(register_module(std::to_string(i), std::make_shared<Block>(block, style)));
    block.in = 4 * stage.width;
    block.stride = 1;
  }
}

Tensor ResidualStage::forward(Tensor x) {
  for (const auto& block : blocks_) x = block->forward(x);
  return x;
}

ResidualNetwork::ResidualNetwork(const ResidualShape& shape, Style style) {
  // The stem's weights double the variance of its input.
  stem_ = register_module("stem", std::make_shared<ConvolutionNorm>(NormedConvolution{3, shape.width, 7, 2}, style, 1.0,
                                                                    2.0 * shape.pixel_variance));
  std::int64_t channels = shape.width;
  for (int i = 0; i < shape.stages; ++i) {
    Stage stage{channels, shape.width << i, shape.blocks[static_cast<std::size_t>(i)], i == 0 ? 1 : 2};
    if (i == 3 && shape.dilated_last) {
      stage.stride = 1;
      stage.dilation = 2;
    }
    stages_.push_back(register_module("res" + std::to_string(i + 2), std::make_shared<ResidualStage>(stage, style)));
    channels = 4 * stage.width;
  }
  const auto freeze = [](nn::Module& part) {
    for (Tensor& parameter : part.parameters()) parameter.set_requires_grad(false);
  };
  if (shape.frozen > 0) freeze(*stem_);
  for (int i = 0; i + 1 < shape.frozen; ++i) freeze(*stages_[static_cast<std::size_t>(i)]);
}

std::vector<Tensor> ResidualNetwork::forward(const Tensor& images) {
  Tensor x = stem_->forward(images).relu_();
  x = torch::max_pool2d(x, 3, 2, 1);
  std::vector<Tensor> features;
  for (const auto& stage : stages_) features.push_back(x = stage->forward(x));
  return features;
}

nn::Conv2d same_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, double gain) {
  nn::Conv2d layer(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2));
  return drawn(layer, std::sqrt(gain / static_cast<double>(in * kernel * kernel)));
}

FeaturePyramid::FeaturePyramid(const std::vector<std::int64_t>& in, std::int64_t out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    laterals_.push_back(register_module("lateral" + std::to_string(i), same_convolution(in[i], out, 1)));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    outputs_.push_back(register_module("output" + std::to_string(i), same_convolution(out, out, 3)));
  }
}

std::vector<Tensor> FeaturePyramid::forward(const std::vector<Tensor>& features) {
  std::vector<Tensor> levels(features.size());
  Tensor seen;
  for (std::size_t i = features.size(); i-- > 0;) {
    const Tensor lateral = laterals_[i]->forward(features[i]);
    if (seen.defined()) {
      seen = lateral + at::upsample_nearest2d(seen, {lateral.size(2), lateral.size(3)});
    } else {
      seen = lateral;
    }
    levels[i] = outputs_[i]->forward(seen);
  }
  return levels;
}

}  // namespace tbci::suite
