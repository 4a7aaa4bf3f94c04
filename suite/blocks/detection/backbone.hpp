// The backbone of detectors: a residual network (He et al., 2015) whose batch norms are frozen, and a feature pyramid
// (Lin et al., Feature Pyramid Networks for Object Detection, 2017).
#pragma once

#include <array>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

// How detectron2's network differs from torchvision's.
enum class Style { detectron2, torchvision };

// A batch norm as a fixed scale and shift: all four are buffers, and training changes none.
class FrozenNorm : public torch::nn::Module {
 public:
  FrozenNorm(std::int64_t channels, Style style, double scale = 1.0, double variance = 1.0);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  Style style_;
  double epsilon_;
  torch::Tensor weight_, bias_, mean_, variance_;
};

struct NormedConvolution {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

// Without activation.
class ConvolutionNorm : public torch::nn::Module {
 public:
  ConvolutionNorm(const NormedConvolution& c, Style style, double scale = 1.0, double variance = 1.0);

  torch::Tensor forward(const torch::Tensor& x) { return norm_->forward(convolution_->forward(x)); }

 private:
  torch::nn::Conv2d convolution_{nullptr};
  std::shared_ptr<FrozenNorm> norm_;
};

struct Stage {
  std::int64_t in;
  std::int64_t width;  // of the 3x3 convolutions; four times that come out
  int blocks;
  std::int64_t stride;
  std::int64_t dilation = 1;
};

// Bottleneck blocks. detectron2 has the stride in the first 1x1 convolution, as the paper; torchvision in the 3x3.
class ResidualStage : public torch::nn::Module {
 public:
  ResidualStage(const Stage& stage, Style style);

  torch::Tensor forward(torch::Tensor x);

 private:
  class Block;
  std::vector<std::shared_ptr<Block>> blocks_;
};

struct ResidualShape {
  std::array<int, 4> blocks;
  std::int64_t width = 64;
  int stages = 4;               // of the four
  bool dilated_last = false;    // the last stage keeps the resolution and spreads its kernels instead
  int frozen = 2;               // the stem and the first `frozen - 1` stages do not learn
  double pixel_variance = 1.0;  // of the input, which the stem's norm removes
};

class ResidualNetwork : public torch::nn::Module {
 public:
  ResidualNetwork(const ResidualShape& shape, Style style);

  // The output of each stage, at strides of 4, 8, 16 and 32.
  std::vector<torch::Tensor> forward(const torch::Tensor& images);

 private:
  std::shared_ptr<ConvolutionNorm> stem_;
  std::vector<std::shared_ptr<ResidualStage>> stages_;
};

// The given levels, each combined with the coarser ones; adds no further levels.
class FeaturePyramid : public torch::nn::Module {
 public:
  FeaturePyramid(const std::vector<std::int64_t>& in, std::int64_t out);

  std::vector<torch::Tensor> forward(const std::vector<torch::Tensor>& features);

 private:
  std::vector<torch::nn::Conv2d> laterals_, outputs_;
};

// A convolution with bias that keeps the size, its weights drawn with a variance of `gain` / fan in.
torch::nn::Conv2d same_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, double gain = 1.0);

// Normal weights of this deviation, no bias.
template <class Layer>
Layer drawn(Layer layer, double deviation) {
  torch::nn::init::normal_(layer->weight, 0.0, deviation);
  torch::nn::init::zeros_(layer->bias);
  return layer;
}

}  // namespace tbci::suite
