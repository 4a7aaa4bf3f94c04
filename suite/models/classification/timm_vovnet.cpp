// timm_vovnet: Lee et al., An Energy and GPU-Computation Efficient Backbone Network for Real-Time Object Detection
// (2019), VoVNet-39 with a stem of three convolutions, as timm's vovnet39a.
#include <array>

#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::timm_vovnet {
namespace {

using namespace timm;

struct Stage {
  std::int64_t width;  // of each layer
  std::int64_t out;
  int blocks;
};

struct Shape {
  std::int64_t stem;
  std::array<Stage, 4> stages;
  Images images;
};

// One-shot aggregation: all layers' outputs are joined once, at the end.
class Aggregation : public torch::nn::Module {
 public:
  Aggregation(std::int64_t in, const Stage& stage) {
    constexpr int layers = 5;
    for (int i = 0; i < layers; ++i) {
      const std::int64_t from = i == 0 ? in : stage.width;
      layers_.push_back(register_module("layer" + std::to_string(i),
                                        std::make_shared<ConvNorm>(ConvNormOptions{{from, stage.width, 3}})));
    }
    join_ =
        register_module("join", std::make_shared<ConvNorm>(ConvNormOptions{{in + layers * stage.width, stage.out, 1}}));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    Tensors all{x};
    for (const auto& layer : layers_) all.push_back(layer->forward(all.back()));
    return join_->forward(torch::cat(all, 1));
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> layers_;
  std::shared_ptr<ConvNorm> join_;
};

class VovNet : public torch::nn::Module {
 public:
  explicit VovNet(const Shape& shape) {
    const std::array<Convolution, 3> stem{Convolution{3, shape.stem, 3, 2}, Convolution{shape.stem, shape.stem, 3},
                                          Convolution{shape.stem, 2 * shape.stem, 3, 2}};
    for (std::size_t i = 0; i < stem.size(); ++i) {
      stem_.push_back(
          register_module("stem" + std::to_string(i), std::make_shared<ConvNorm>(ConvNormOptions{stem[i]})));
    }
    std::int64_t channels = 2 * shape.stem;
    for (std::size_t i = 0; i < shape.stages.size(); ++i) {
      stages_.emplace_back();
      for (int block = 0; block < shape.stages[i].blocks; ++block) {
        stages_.back().push_back(register_module("stage" + std::to_string(i) + "_" + std::to_string(block),
                                                 std::make_shared<Aggregation>(channels, shape.stages[i])));
        channels = shape.stages[i].out;
      }
    }
    head_ = register_module("head", torch::nn::Linear(channels, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = images;
    for (const auto& layer : stem_) x = layer->forward(x);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (i > 0) x = torch::max_pool2d(x, 3, 2, 0, 1, /*ceil_mode=*/true);
      for (const auto& block : stages_[i]) x = block->forward(x);
    }
    return head_->forward(pooled(x));
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> stem_;
  std::vector<std::vector<std::shared_ptr<Aggregation>>> stages_;
  torch::nn::Linear head_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{.stem = 64,
                    .stages = {{{128, 256, 1}, {160, 512, 1}, {192, 768, 2}, {224, 1024, 2}}},
                    .images = {.side = 224, .classes = 1000}};
  const Shape ci{.stem = 16,
                 .stages = {{{32, 64, 1}, {40, 128, 1}, {48, 192, 2}, {56, 256, 2}}},
                 .images = {.side = 64, .classes = 100}};
  const Shape shape = by_size(setup, paper, ci);
  return timm::workload(setup, std::make_shared<VovNet>(shape), shape.images);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_vovnet",
           .domain = "computer vision",
           .task = "image classification",
           .source = "timm (vovnet39a)",
           .parameters = 22600296,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 6, .infer = 32},
           .make = make}};
}

}  // namespace tbci::suite::models::timm_vovnet
