// squeezenet1_1: Iandola et al., SqueezeNet: AlexNet-level accuracy with 50x fewer parameters (2016), as in
// torchvision. TorchBench sums the gradients of 16 batches before each step, and makes a new optimizer for it.
#include "suite/blocks/classifier.hpp"
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/optimizers.hpp"
#include "suite/blocks/random_labels.hpp"

namespace tbci::suite::models::squeezenet {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t narrower;  // channels are divided by it
  int passes;             // batches of one step
  Images images;
};

nn::Conv2d layer(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  nn::Conv2d convolution(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2));
  nn::init::kaiming_uniform_(convolution->weight);
  nn::init::zeros_(convolution->bias);
  return convolution;
}

// Few channels, then many again: half of them from 1x1 and half from 3x3 convolutions.
class Fire : public nn::Module {
 public:
  Fire(std::int64_t in, std::int64_t squeezed, std::int64_t expanded) {
    squeeze_ = register_module("squeeze", layer(in, squeezed, 1));
    expand1_ = register_module("expand1x1", layer(squeezed, expanded, 1));
    expand3_ = register_module("expand3x3", layer(squeezed, expanded, 3));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor x = squeeze_->forward(input).relu_();
    return torch::cat({expand1_->forward(x).relu_(), expand3_->forward(x).relu_()}, 1);
  }

 private:
  nn::Conv2d squeeze_{nullptr}, expand1_{nullptr}, expand3_{nullptr};
};

class SqueezeNet : public nn::Module {
 public:
  explicit SqueezeNet(const Shape& shape) {
    struct Row {
      std::int64_t squeezed, expanded;
    };
    constexpr Row rows[] = {{16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}};
    std::int64_t channels = 64 / shape.narrower;
    stem_ = register_module("stem", nn::Conv2d(nn::Conv2dOptions(3, channels, 3).stride(2)));
    nn::init::kaiming_uniform_(stem_->weight);
    for (const Row& row : rows) {
      const std::int64_t expanded = row.expanded / shape.narrower;
      auto fire = std::make_shared<Fire>(channels, row.squeezed / shape.narrower, expanded);
      fires_.push_back(register_module("fire" + std::to_string(fires_.size()), fire));
      channels = 2 * expanded;
    }
    head_ = register_module("classifier", nn::Conv2d(nn::Conv2dOptions(channels, shape.images.classes, 1)));
    nn::init::normal_(head_->weight, 0.0, 0.01);
    nn::init::zeros_(head_->bias);
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = pool(stem_->forward(images).relu_());
    for (std::size_t i = 0; i < fires_.size(); ++i) {
      x = fires_[i]->forward(x);
      if (i == 1 || i == 3) x = pool(x);
    }
    x = head_->forward(torch::dropout(x, 0.5, is_training())).relu_();
    return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
  }

 private:
  static torch::Tensor pool(const torch::Tensor& x) {
    constexpr bool up = true;  // a window that crosses the edge counts
    return torch::max_pool2d(x, 3, 2, 0, 1, up);
  }

  nn::Conv2d stem_{nullptr};
  std::vector<std::shared_ptr<Fire>> fires_;
  nn::Conv2d head_{nullptr};
};

class SqueezeNetWorkload final : public NetworkWorkload<SqueezeNet> {
 public:
  SqueezeNetWorkload(const Setup& setup, const Shape& shape)
      : NetworkWorkload(setup, std::make_shared<SqueezeNet>(shape)), passes_(shape.passes) {
    const std::int64_t side = shape.images.side;
    images_ = torch::randn({setup.batch, 3, side, side}, torch::TensorOptions().device(setup.device));
  }

  Tensors inputs() const override { return {images_}; }

 private:
  Tensors train() override {
    const auto optimizer = adam(parameters(), 1e-3);
    zero_gradients(*optimizer);
    Tensors losses;
    for (int i = 0; i < passes_; ++i) {
      torch::Tensor loss = loss_on_random_labels(network().forward(images_));
      loss.backward();
      losses.push_back(loss.detach());
    }
    take_step(*optimizer);
    return losses;
  }

  Tensors infer() override { return {network().forward(images_)}; }

  int passes_;
  torch::Tensor images_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.narrower = 1, .passes = 16, .images = {.side = 224, .classes = 1000}},
                                       {.narrower = 2, .passes = 4, .images = {.side = 64, .classes = 100}});
    return std::make_unique<SqueezeNetWorkload>(setup, shape);
  };
  return {{.name = "squeezenet1_1",
           .domain = "computer vision",
           .task = "image classification",
           .source = "torchvision",
           .parameters = 1235496,
           .paper_batch = {.train = 32, .infer = 16},
           .ci_batch = {.train = 6, .infer = 64},
           .make = make}};
}

}  // namespace tbci::suite::models::squeezenet
