// mnasnet1_0: Tan et al., MnasNet: Platform-Aware Neural Architecture Search for Mobile (2018), variant B1, as in
// torchvision.
#include "suite/blocks/channels.hpp"
#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::mnasnet {
namespace {

namespace nn = torch::nn;

constexpr Norm norm{.epsilon = 1e-5, .momentum = 1.0 - 0.9997};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation) {
  return std::make_shared<ConvNorm>(c, activation, norm);
}

struct Residual {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t expansion;
};

class InvertedResidual : public nn::Module {
 public:
  explicit InvertedResidual(const Residual& r) : adds_(r.stride == 1 && r.in == r.out) {
    const std::int64_t hidden = r.in * r.expansion;
    expand_ = register_module("expand", layer({r.in, hidden, 1}, Activation::relu));
    depthwise_ = register_module("depthwise", layer({hidden, hidden, r.kernel, r.stride, hidden}, Activation::relu));
    project_ = register_module("project", layer({hidden, r.out, 1}, Activation::none));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = project_->forward(depthwise_->forward(expand_->forward(x)));
    return adds_ ? y + x : y;
  }

 private:
  bool adds_;
  std::shared_ptr<ConvNorm> expand_, depthwise_, project_;
};

class MnasNet : public nn::Module {
 public:
  MnasNet(double width, std::int64_t classes) {
    struct Stage {
      std::int64_t channels, kernel, stride, expansion, count;
    };
    constexpr Stage stages[] = {{24, 3, 2, 3, 3}, {40, 5, 2, 3, 3},  {80, 5, 2, 6, 3},
                                {96, 3, 1, 6, 2}, {192, 5, 2, 6, 4}, {320, 3, 1, 6, 1}};
    const std::int64_t first = scaled_channels(32, width);
    std::int64_t channels = scaled_channels(16, width);
    stem_ = register_module("stem", layer({3, first, 3, 2}, Activation::relu));
    depthwise_ = register_module("depthwise", layer({first, first, 3, 1, first}, Activation::relu));
    project_ = register_module("project", layer({first, channels, 1}, Activation::none));
    for (const Stage& stage : stages) {
      const std::int64_t out = scaled_channels(stage.channels, width);
      for (std::int64_t i = 0; i < stage.count; ++i) {
        const Residual residual{.in = channels,
                                .out = out,
                                .kernel = stage.kernel,
                                .stride = i == 0 ? stage.stride : 1,
                                .expansion = stage.expansion};
        const std::string name = "block" + std::to_string(blocks_.size());
        blocks_.push_back(register_module(name, std::make_shared<InvertedResidual>(residual)));
        channels = out;
      }
    }
    constexpr std::int64_t last = 1280;  // at every width
    last_ = register_module("last", layer({channels, last, 1}, Activation::relu));
    head_ = register_module("classifier", nn::Linear(last, classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = project_->forward(depthwise_->forward(stem_->forward(images)));
    for (const auto& block : blocks_) x = block->forward(x);
    x = last_->forward(x).mean({2, 3});
    return head_->forward(torch::dropout_(x, 0.2, is_training()));
  }

 private:
  std::shared_ptr<ConvNorm> stem_, depthwise_, project_, last_;
  std::vector<std::shared_ptr<InvertedResidual>> blocks_;
  nn::Linear head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Images images = by_size<Images>(setup, {.side = 224, .classes = 1000}, {.side = 64, .classes = 100});
    return classifier_workload(setup, std::make_shared<MnasNet>(by_size(setup, 1.0, 0.35), images.classes), images);
  };
  return {{.name = "mnasnet1_0",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 4383312,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 8, .infer = 64},
           .make = make}};
}

}  // namespace tbci::suite::models::mnasnet
