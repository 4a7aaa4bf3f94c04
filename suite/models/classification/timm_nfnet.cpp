// timm_nfnet: Brock et al., High-Performance Large-Scale Image Recognition Without Normalization (2021), NFNet-F0 as
// DeepMind published it, in timm's form (dm_nfnet_f0).
#include <array>
#include <cmath>

#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::timm_nfnet {
namespace {

using namespace timm;

constexpr double alpha = 0.2;  // how much of a branch is added to its shortcut
constexpr double attention_gain = 2.0;

struct Shape {
  std::int64_t stem;
  std::array<std::int64_t, 4> widths;
  std::array<int, 4> depths;
  std::int64_t group;  // channels of a group of the 3x3 convolutions
  Images images;
};

// GELU, scaled so that a normal input's variance stays 1.
torch::Tensor scaled_gelu(const torch::Tensor& x) {
  return torch::gelu(x).mul_(1.7015043497085571);
}

// A convolution whose weights have mean 0 and variance 1 / fan-in in each output channel, times a learned gain.
class StandardisedConvolution : public torch::nn::Module {
 public:
  explicit StandardisedConvolution(const Convolution& c)
      : shape_(c), scale_(1.0 / std::sqrt(static_cast<double>(c.in / c.groups * c.kernel * c.kernel))) {
    weight_ = register_parameter("weight", torch::empty({c.out, c.in / c.groups, c.kernel, c.kernel}));
    bias_ = register_parameter("bias", torch::empty({c.out}));
    gain_ = register_parameter("gain", torch::ones({c.out, 1, 1, 1}));
    torch::nn::init::kaiming_uniform_(weight_, std::sqrt(5.0));
    torch::nn::init::uniform_(bias_, -scale_, scale_);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor none;
    const torch::Tensor weight = torch::batch_norm(weight_.reshape({1, shape_.out, -1}), (gain_ * scale_).view(-1),
                                                   none, none, none, /*training=*/true, 0.0, 1e-5, true)
                                     .reshape_as(weight_);
    const bool pads = shape_.stride > 1;  // as TensorFlow does
    const torch::Tensor padded = pads ? pad_same(x, {shape_.kernel, shape_.stride}) : x;
    return torch::conv2d(padded, weight, bias_, shape_.stride, pads ? 0 : shape_.kernel / 2, 1, shape_.groups);
  }

 private:
  Convolution shape_;
  double scale_;
  torch::Tensor weight_, bias_, gain_;
};

struct BlockShape {
  std::int64_t in, out, stride, group;
  double beta;  // what the input is multiplied by, so that its variance is 1
};

class Block : public torch::nn::Module {
 public:
  explicit Block(const BlockShape& s) : beta_(s.beta), stride_(s.stride) {
    const std::int64_t width = s.out / 2, groups = width / s.group;
    // The paper starts with a gain of 0; the original starts from trained weights, where it is not.
    gain_ = register_parameter("skipinit_gain", torch::full({}, 0.5));
    if (s.in != s.out || s.stride != 1) shortcut_ = add("downsample", {s.in, s.out, 1});
    layers_.push_back(add("conv1", {s.in, width, 1}));
    layers_.push_back(add("conv2", {width, width, 3, s.stride, groups}));
    layers_.push_back(add("conv2b", {width, width, 3, 1, groups}));
    layers_.push_back(add("conv3", {width, s.out, 1}));
    excite_ = register_module("attn", std::make_shared<SqueezeExcite>(s.out, s.out / 2, Activation::relu));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = scaled_gelu(input) * beta_;
    const torch::Tensor shortcut = shortcut_ ? shortcut_->forward(shrunk(x)) : input;
    x = layers_[0]->forward(x);
    for (std::size_t i = 1; i < layers_.size(); ++i) x = layers_[i]->forward(scaled_gelu(x));
    x = attention_gain * excite_->forward(x);
    x.mul_(gain_);
    return x * alpha + shortcut;
  }

 private:
  std::shared_ptr<StandardisedConvolution> add(const std::string& name, const Convolution& c) {
    return register_module(name, std::make_shared<StandardisedConvolution>(c));
  }

  torch::Tensor shrunk(const torch::Tensor& x) const {
    return stride_ == 1 ? x : torch::avg_pool2d(x, 2, stride_, 0, /*ceil_mode=*/true, /*count_include_pad=*/false);
  }

  double beta_;
  std::int64_t stride_;
  torch::Tensor gain_;
  std::shared_ptr<StandardisedConvolution> shortcut_;
  std::vector<std::shared_ptr<StandardisedConvolution>> layers_;
  std::shared_ptr<SqueezeExcite> excite_;
};

class NfNet : public torch::nn::Module {
 public:
  explicit NfNet(const Shape& shape) {
    std::int64_t channels = 3;
    for (int i = 0; i < 4; ++i) {
      const std::int64_t out = shape.stem >> (3 - i);
      stem_.push_back(register_module("stem" + std::to_string(i), std::make_shared<StandardisedConvolution>(Convolution{
                                                                      channels, out, 3, i % 3 == 0 ? 2 : 1})));
      channels = out;
    }
    double variance = 1.0;
    for (std::size_t stage = 0; stage < shape.widths.size(); ++stage) {
      for (int i = 0; i < shape.depths[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        const std::string name = "stage" + std::to_string(stage) + "_" + std::to_string(i);
        blocks_.push_back(
            register_module(name, std::make_shared<Block>(BlockShape{.in = channels,
                                                                     .out = shape.widths[stage],
                                                                     .stride = stride,
                                                                     .group = shape.group,
                                                                     .beta = 1.0 / std::sqrt(variance)})));
        variance = (i == 0 ? 1.0 : variance) + alpha * alpha;
        channels = shape.widths[stage];
      }
    }
    last_ = register_module("final_conv",
                            std::make_shared<StandardisedConvolution>(Convolution{channels, 2 * channels, 1}));
    head_ = register_module("head", torch::nn::Linear(2 * channels, shape.images.classes));
    torch::nn::init::normal_(head_->weight, 0.0, 0.01);
    torch::nn::init::zeros_(head_->bias);
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_[0]->forward(images);
    for (std::size_t i = 1; i < stem_.size(); ++i) x = stem_[i]->forward(scaled_gelu(x));
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(pooled(scaled_gelu(last_->forward(x))));
  }

 private:
  std::vector<std::shared_ptr<StandardisedConvolution>> stem_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<StandardisedConvolution> last_;
  torch::nn::Linear head_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{.stem = 128,
                    .widths = {256, 512, 1536, 1536},
                    .depths = {1, 2, 6, 3},
                    .group = 128,
                    .images = {.side = 192, .classes = 1000}};
  const Shape ci{.stem = 32,
                 .widths = {32, 64, 192, 192},
                 .depths = {1, 1, 3, 1},
                 .group = 16,
                 .images = {.side = 64, .classes = 100}};
  const Shape shape = by_size(setup, paper, ci);
  return timm::workload(setup, std::make_shared<NfNet>(shape), shape.images);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_nfnet",
           .domain = "computer vision",
           .task = "image classification",
           .source = "timm (dm_nfnet_f0)",
           .parameters = 71489284,
           .paper_batch = {.train = 128, .infer = 128},
           .ci_batch = {.train = 8, .infer = 48},
           .make = make}};
}

}  // namespace tbci::suite::models::timm_nfnet
