// densenet121: Huang et al., Densely Connected Convolutional Networks (2016), as in torchvision.
#include <array>

#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::densenet {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::array<int, 4> layers;  // of each block
  std::int64_t growth;        // channels that a layer adds
  Images images;
};

// Takes all feature maps of its block and makes `growth` new ones.
class DenseLayer : public nn::Module {
 public:
  DenseLayer(std::int64_t in, std::int64_t growth) {
    constexpr std::int64_t bottleneck = 4;
    norm1_ = register_module("norm1", batch_norm(in));
    squeeze_ = register_module("conv1", convolution({in, bottleneck * growth, 1}));
    norm2_ = register_module("norm2", batch_norm(bottleneck * growth));
    grow_ = register_module("conv2", convolution({bottleneck * growth, growth, 3}));
  }

  torch::Tensor forward(const Tensors& features) {
    const torch::Tensor x = squeeze_->forward(norm1_->forward(torch::cat(features, 1)).relu_());
    return grow_->forward(norm2_->forward(x).relu_());
  }

 private:
  nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
  nn::Conv2d squeeze_{nullptr}, grow_{nullptr};
};

// Between two blocks: half the channels, half the side.
class Transition : public nn::Module {
 public:
  explicit Transition(std::int64_t in)
      : norm_(register_module("norm", batch_norm(in))),
        convolution_(register_module("conv", convolution({in, in / 2, 1}))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    return torch::avg_pool2d(convolution_->forward(norm_->forward(x).relu_()), 2, 2);
  }

 private:
  nn::BatchNorm2d norm_;
  nn::Conv2d convolution_;
};

// Its features are free again before the next layer takes memory, as in the original.
torch::Tensor dense_block(const std::vector<std::shared_ptr<DenseLayer>>& layers, const torch::Tensor& x) {
  Tensors features{x};
  for (const auto& layer : layers) features.push_back(layer->forward(features));
  return torch::cat(features, 1);
}

class DenseNet : public nn::Module {
 public:
  explicit DenseNet(const Shape& shape) {
    std::int64_t channels = 2 * shape.growth;
    stem_ = register_module("stem", std::make_shared<ConvNorm>(Convolution{3, channels, 7, 2}, Activation::relu));
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      for (int j = 0; j < shape.layers[i]; ++j) {
        const std::string name = "denselayer" + number + "_" + std::to_string(j + 1);
        blocks_[i].push_back(register_module(name, std::make_shared<DenseLayer>(channels, shape.growth)));
        channels += shape.growth;
      }
      if (i + 1 == shape.layers.size()) break;
      transitions_.push_back(register_module("transition" + number, std::make_shared<Transition>(channels)));
      channels /= 2;
    }
    norm_ = register_module("norm5", batch_norm(channels));
    head_ = register_module("classifier", nn::Linear(channels, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = torch::max_pool2d(stem_->forward(images), 3, 2, 1);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      x = dense_block(blocks_[i], x);
      if (i < transitions_.size()) x = transitions_[i]->forward(x);
    }
    x = norm_->forward(x).relu_();
    return head_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  std::shared_ptr<ConvNorm> stem_;
  std::array<std::vector<std::shared_ptr<DenseLayer>>, 4> blocks_;
  std::vector<std::shared_ptr<Transition>> transitions_;
  nn::BatchNorm2d norm_{nullptr};
  nn::Linear head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const std::array<int, 4> layers{6, 12, 24, 16};
    const Shape shape =
        by_size<Shape>(setup, {.layers = layers, .growth = 32, .images = {.side = 224, .classes = 1000}},
                       {.layers = layers, .growth = 8, .images = {.side = 64, .classes = 100}});
    return classifier_workload(setup, std::make_shared<DenseNet>(shape), shape.images);
  };
  return {{.name = "densenet121",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 7978856,
           .paper_batch = {.train = 256, .infer = 64},
           .ci_batch = {.train = 3, .infer = 32},
           .make = make}};
}

}  // namespace tbci::suite::models::densenet
