// vgg16: Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition (2014),
// configuration D.
#include "suite/blocks/classifier.hpp"

namespace tbci::suite::models::vgg {
namespace {

struct Shape {
  std::int64_t width;   // channels of the first layer
  std::int64_t hidden;  // of the two hidden layers of the classifier
  Images images;
};

class Vgg16 : public torch::nn::Module {
 public:
  explicit Vgg16(const Shape& shape) {
    const auto in_place = torch::nn::ReLUOptions().inplace(true);
    torch::nn::Sequential features;
    std::int64_t channels = 3;
    const std::pair<std::int64_t, int> stages[] = {{1, 2}, {2, 2}, {4, 3}, {8, 3}, {8, 3}};
    for (const auto& [factor, count] : stages) {
      for (int i = 0; i < count; ++i) {
        torch::nn::Conv2d layer(torch::nn::Conv2dOptions(channels, shape.width * factor, 3).padding(1));
        torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
        torch::nn::init::zeros_(layer->bias);
        features->push_back(layer);
        features->push_back(torch::nn::ReLU(in_place));
        channels = shape.width * factor;
      }
      features->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(2).stride(2)));
    }
    features_ = register_module("features", features);
    classifier_ = register_module(
        "classifier",
        torch::nn::Sequential(linear(channels * 7 * 7, shape.hidden), torch::nn::ReLU(in_place), torch::nn::Dropout(),
                              linear(shape.hidden, shape.hidden), torch::nn::ReLU(in_place), torch::nn::Dropout(),
                              linear(shape.hidden, shape.images.classes)));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor x = torch::adaptive_avg_pool2d(features_->forward(images), {7, 7});
    return classifier_->forward(x.flatten(1));
  }

 private:
  static torch::nn::Linear linear(std::int64_t in, std::int64_t out) {
    torch::nn::Linear layer(in, out);
    torch::nn::init::normal_(layer->weight, 0.0, 0.01);
    torch::nn::init::zeros_(layer->bias);
    return layer;
  }

  torch::nn::Sequential features_;
  torch::nn::Sequential classifier_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.width = 64, .hidden = 4096, .images = {.side = 224, .classes = 1000}},
                                       {.width = 8, .hidden = 256, .images = {.side = 64, .classes = 100}});
    return classifier_workload(setup, std::make_shared<Vgg16>(shape), shape.images);
  };
  return {{.name = "vgg16",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 138357544,
           .paper_batch = {.train = 64, .infer = 4},
           .ci_batch = {.train = 4, .infer = 16},
           .make = make}};
}

}  // namespace tbci::suite::models::vgg
