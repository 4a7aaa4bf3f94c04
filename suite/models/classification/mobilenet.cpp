// mobilenet_v2: Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks (2018).
#include <algorithm>

#include "suite/blocks/channels.hpp"
#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::mobilenet {
namespace {

void append(torch::nn::Sequential& layers, const Convolution& c, bool activated) {
  layers->push_back(convolution(c));
  layers->push_back(torch::nn::BatchNorm2d(c.out));
  if (activated) layers->push_back(torch::nn::ReLU6(torch::nn::ReLU6Options().inplace(true)));
}

struct Residual {
  std::int64_t in;
  std::int64_t out;
  std::int64_t stride;
  std::int64_t expansion;
};

class InvertedResidual : public torch::nn::Module {
 public:
  explicit InvertedResidual(const Residual& r) : adds_(r.stride == 1 && r.in == r.out) {
    const std::int64_t hidden = r.in * r.expansion;
    torch::nn::Sequential layers;
    if (r.expansion != 1) append(layers, {r.in, hidden, 1}, true);
    append(layers, {hidden, hidden, 3, r.stride, hidden}, true);
    append(layers, {hidden, r.out, 1}, false);
    layers_ = register_module("conv", layers);
  }

  torch::Tensor forward(const torch::Tensor& x) { return adds_ ? x + layers_->forward(x) : layers_->forward(x); }

 private:
  bool adds_;
  torch::nn::Sequential layers_;
};

class MobileNetV2 : public torch::nn::Module {
 public:
  MobileNetV2(double width, std::int64_t classes) {
    struct Stage {
      std::int64_t expansion, channels, count, stride;
    };
    constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    torch::nn::Sequential features;
    std::int64_t channels = scaled_channels(32, width);
    append(features, {3, channels, 3, 2}, true);
    for (const Stage& stage : stages) {
      const std::int64_t out = scaled_channels(stage.channels, width);
      for (std::int64_t i = 0; i < stage.count; ++i) {
        features->push_back(InvertedResidual(
            {.in = channels, .out = out, .stride = i == 0 ? stage.stride : 1, .expansion = stage.expansion}));
        channels = out;
      }
    }
    const std::int64_t last = scaled_channels(1280, std::max(1.0, width));
    append(features, {channels, last, 1}, true);
    features_ = register_module("features", features);
    dropout_ = register_module("dropout", torch::nn::Dropout(0.2));
    head_ = register_module("classifier", torch::nn::Linear(last, classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor x = torch::adaptive_avg_pool2d(features_->forward(images), {1, 1}).flatten(1);
    return head_->forward(dropout_->forward(x));
  }

 private:
  torch::nn::Sequential features_;
  torch::nn::Dropout dropout_{nullptr};
  torch::nn::Linear head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Images images = by_size<Images>(setup, {.side = 224, .classes = 1000}, {.side = 64, .classes = 100});
    return classifier_workload(setup, std::make_shared<MobileNetV2>(by_size(setup, 1.0, 0.35), images.classes), images);
  };
  return {{.name = "mobilenet_v2",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 3504872,
           .paper_batch = {.train = 96, .infer = 16},
           .ci_batch = {.train = 4, .infer = 24},
           .make = make}};
}

}  // namespace tbci::suite::models::mobilenet
