// alexnet: Krizhevsky, One weird trick for parallelizing convolutional neural networks (2014), as in torchvision.
#include "suite/blocks/classifier.hpp"

namespace tbci::suite::models::alexnet {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t narrower;  // channels and hidden units are divided by it
  Images images;
};

nn::Conv2d layer(const Convolution& c, std::int64_t padding) {
  return nn::Conv2d(nn::Conv2dOptions(c.in, c.out, c.kernel).stride(c.stride).padding(padding));
}

class AlexNet : public nn::Module {
 public:
  explicit AlexNet(const Shape& shape) {
    const std::int64_t by = shape.narrower;
    add(layer({3, 64 / by, 11, 4}, 2));
    add(layer({64 / by, 192 / by, 5}, 2));
    add(layer({192 / by, 384 / by, 3}, 1));
    add(layer({384 / by, 256 / by, 3}, 1));
    add(layer({256 / by, 256 / by, 3}, 1));
    hidden1_ = register_module("hidden1", nn::Linear(256 / by * side * side, 4096 / by));
    hidden2_ = register_module("hidden2", nn::Linear(4096 / by, 4096 / by));
    head_ = register_module("head", nn::Linear(4096 / by, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = images;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = convolutions_[i]->forward(x).relu_();
      const bool pooled = i < 2 || i + 1 == convolutions_.size();
      if (pooled) x = torch::max_pool2d(x, 3, 2);
    }
    x = torch::adaptive_avg_pool2d(x, {side, side}).flatten(1);
    x = hidden1_->forward(torch::dropout(x, 0.5, is_training())).relu_();
    x = hidden2_->forward(torch::dropout(x, 0.5, is_training())).relu_();
    return head_->forward(x);
  }

 private:
  static constexpr std::int64_t side = 6;

  void add(nn::Conv2d convolution) {
    convolutions_.push_back(register_module("conv" + std::to_string(convolutions_.size()), std::move(convolution)));
  }

  std::vector<nn::Conv2d> convolutions_;
  nn::Linear hidden1_{nullptr}, hidden2_{nullptr}, head_{nullptr};
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.narrower = 1, .images = {.side = 224, .classes = 1000}},
                                       {.narrower = 4, .images = {.side = 96, .classes = 100}});
    return classifier_workload(setup, std::make_shared<AlexNet>(shape), shape.images);
  };
  return {{.name = "alexnet",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 61100840,
           .paper_batch = {.train = 128, .infer = 128},
           .ci_batch = {.train = 8, .infer = 96},
           .make = make}};
}

}  // namespace tbci::suite::models::alexnet
