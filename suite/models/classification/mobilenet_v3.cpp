// mobilenet_v3_large: Howard et al., Searching for MobileNetV3 (2019), as in torchvision.
#include "suite/blocks/channels.hpp"
#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::mobilenet_v3 {
namespace {

namespace nn = torch::nn;

constexpr Norm norm{.epsilon = 1e-3, .momentum = 0.01};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation) {
  return std::make_shared<ConvNorm>(c, activation, norm);
}

// A row of the paper's Table 1.
struct Row {
  std::int64_t kernel, expanded, out;
  bool squeezes;
  Activation activation;
  std::int64_t stride;
};

constexpr Activation re = Activation::relu, hs = Activation::hardswish;
constexpr Row rows[] = {{3, 16, 16, false, re, 1},  {3, 64, 24, false, re, 2},  {3, 72, 24, false, re, 1},
                        {5, 72, 40, true, re, 2},   {5, 120, 40, true, re, 1},  {5, 120, 40, true, re, 1},
                        {3, 240, 80, false, hs, 2}, {3, 200, 80, false, hs, 1}, {3, 184, 80, false, hs, 1},
                        {3, 184, 80, false, hs, 1}, {3, 480, 112, true, hs, 1}, {3, 672, 112, true, hs, 1},
                        {5, 672, 160, true, hs, 2}, {5, 960, 160, true, hs, 1}, {5, 960, 160, true, hs, 1}};

// Weighs the channels by what the whole picture has in them.
class SqueezeExcitation : public nn::Module {
 public:
  explicit SqueezeExcitation(std::int64_t channels) {
    const std::int64_t squeezed = scaled_channels(channels / 4, 1.0);
    squeeze_ = register_module("fc1", nn::Conv2d(nn::Conv2dOptions(channels, squeezed, 1)));
    excite_ = register_module("fc2", nn::Conv2d(nn::Conv2dOptions(squeezed, channels, 1)));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor squeezed = torch::relu(squeeze_->forward(torch::adaptive_avg_pool2d(x, {1, 1})));
    return torch::hardsigmoid(excite_->forward(squeezed)) * x;
  }

 private:
  nn::Conv2d squeeze_{nullptr}, excite_{nullptr};
};

class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(std::int64_t in, const Row& row) : adds_(row.stride == 1 && in == row.out) {
    if (row.expanded != in) expand_ = register_module("expand", layer({in, row.expanded, 1}, row.activation));
    depthwise_ = register_module(
        "depthwise", layer({row.expanded, row.expanded, row.kernel, row.stride, row.expanded}, row.activation));
    if (row.squeezes) squeeze_ = register_module("se", std::make_shared<SqueezeExcitation>(row.expanded));
    project_ = register_module("project", layer({row.expanded, row.out, 1}, Activation::none));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = depthwise_->forward(expand_ ? expand_->forward(input) : input);
    if (squeeze_) x = squeeze_->forward(x);
    x = project_->forward(x);
    return adds_ ? x += input : x;
  }

 private:
  bool adds_;
  std::shared_ptr<ConvNorm> expand_, depthwise_, project_;
  std::shared_ptr<SqueezeExcitation> squeeze_;
};

class MobileNetV3 : public nn::Module {
 public:
  MobileNetV3(double width, std::int64_t classes) {
    std::int64_t channels = scaled_channels(16, width);
    stem_ = register_module("stem", layer({3, channels, 3, 2}, hs));
    for (Row row : rows) {
      row.expanded = scaled_channels(row.expanded, width);
      row.out = scaled_channels(row.out, width);
      const std::string name = "block" + std::to_string(blocks_.size());
      blocks_.push_back(register_module(name, std::make_shared<InvertedResidual>(channels, row)));
      channels = row.out;
    }
    const std::int64_t hidden = scaled_channels(1280, width);
    last_ = register_module("last", layer({channels, 6 * channels, 1}, hs));
    hidden_ = register_module("hidden", nn::Linear(6 * channels, hidden));
    head_ = register_module("head", nn::Linear(hidden, classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_->forward(images);
    for (const auto& block : blocks_) x = block->forward(x);
    x = torch::adaptive_avg_pool2d(last_->forward(x), {1, 1}).flatten(1);
    x = activate(hs, hidden_->forward(x));
    return head_->forward(torch::dropout_(x, 0.2, is_training()));
  }

 private:
  std::shared_ptr<ConvNorm> stem_, last_;
  std::vector<std::shared_ptr<InvertedResidual>> blocks_;
  nn::Linear hidden_{nullptr}, head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Images images = by_size<Images>(setup, {.side = 224, .classes = 1000}, {.side = 64, .classes = 100});
    return classifier_workload(setup, std::make_shared<MobileNetV3>(by_size(setup, 1.0, 0.35), images.classes), images);
  };
  const std::string task = "image classification";
  return {{.name = "mobilenet_v3_large",
           .domain = "computer vision",
           .task = task,
           .source = "torchvision",
           .parameters = 5483032,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 8, .infer = 64},
           .make = make}};
}

}  // namespace tbci::suite::models::mobilenet_v3
