// doctr_reco_predictor: Shi et al., An End-to-End Trainable Neural Network for Image-based Sequence Recognition (2015),
// a recurrent network on a VGG-16, as python-doctr's crnn_vgg16_bn.
#include "suite/blocks/linear.hpp"
#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::doctr_reco_predictor {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t width;  // of the first convolutions
  std::int64_t units;  // of the recurrent layers, in each direction
};

constexpr std::int64_t letters = 126;  // python-doctr's French alphabet; the class behind it is "no letter"

class Vgg : public nn::Module {
 public:
  explicit Vgg(std::int64_t width) {
    std::int64_t channels = 3;
    const auto add_stage = [&](int layers, std::int64_t out) {
      stages_.emplace_back();
      for (int i = 0; i < layers; ++i) {
        const std::string name = "stage" + std::to_string(stages_.size()) + "_" + std::to_string(i);
        const timm::ConvNormOptions options{.convolution = {channels, out, 3}, .bias = true};
        stages_.back().push_back(register_module(name, std::make_shared<timm::ConvNorm>(options)));
        channels = out;
      }
    };
    add_stage(2, width);
    add_stage(2, 2 * width);
    for (const std::int64_t factor : {4, 8, 8}) add_stage(3, factor * width);
  }

  // Of 32 rows one is left, of the columns a quarter.
  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = images;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      for (const auto& layer : stages_[i]) x = layer->forward(x);
      const std::int64_t columns = i < 2 ? 2 : 1;
      x = torch::max_pool2d(x, {2, columns}, {2, columns});
    }
    return x;
  }

 private:
  std::vector<std::vector<std::shared_ptr<timm::ConvNorm>>> stages_;
};

class Crnn : public nn::Module {
 public:
  explicit Crnn(const Shape& shape) {
    features_ = register_module("feat_extractor", std::make_shared<Vgg>(shape.width));
    decoder_ = register_module(
        "decoder",
        nn::LSTM(nn::LSTMOptions(8 * shape.width, shape.units).num_layers(2).bidirectional(true).batch_first(true)));
    linear_ = register_module("linear", OneLinear(2 * shape.units, letters + 1));
  }

  // Scores of the letters in each column, [batch, columns, letters + 1].
  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor features = features_->forward(images);
    const std::int64_t rows = features.size(1) * features.size(2);
    const torch::Tensor columns = features.reshape({-1, rows, features.size(3)}).transpose(1, 2);
    return linear_->forward(std::get<0>(decoder_->forward(columns)));
  }

 private:
  std::shared_ptr<Vgg> features_;
  nn::LSTM decoder_{nullptr};
  OneLinear linear_{nullptr};
};

// The most likely letter of each column, without repetitions and without "no letter"; -1 behind the end.
torch::Tensor words(const torch::Tensor& scores) {
  const torch::Tensor best = scores.argmax(-1).detach().cpu();
  torch::Tensor result = torch::full_like(best, -1);
  const auto from = best.accessor<std::int64_t, 2>();
  auto to = result.accessor<std::int64_t, 2>();
  for (std::int64_t word = 0; word < from.size(0); ++word) {
    std::int64_t length = 0;
    for (std::int64_t i = 0; i < from.size(1); ++i) {
      const bool repeated = i > 0 && from[word][i] == from[word][i - 1];
      if (!repeated && from[word][i] != letters) to[word][length++] = from[word][i];
    }
  }
  return result;
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.width = 64, .units = 128}, {.width = 16, .units = 32});
  auto module = std::make_shared<Crnn>(shape);
  module->to(setup.device);
  const torch::Tensor images = torch::randn({setup.batch, 3, 32, 128}, torch::TensorOptions().device(setup.device));

  const auto forward = [module, images] {
    const torch::Tensor scores = module->forward(images);
    const torch::Tensor sureness = std::get<0>(std::get<0>(torch::softmax(scores, -1).max(-1)).min(1));
    return Tensors{scores, sureness, words(scores)};
  };
  return standard_workload(setup, {.module = module, .forward = forward, .inputs = {images}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "doctr_reco_predictor",
           .domain = "computer vision",
           .task = "object detection",
           .source = "python-doctr (crnn_vgg16_bn)",
           .parameters = 15808447,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 16},
           .make = make,
           .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::doctr_reco_predictor
