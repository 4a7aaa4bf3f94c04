// nvidia_deeprecommender: Kuchaiev and Ginsburg, Training Deep AutoEncoders for Collaborative Filtering (2017): a deep
// autoencoder with SELU and heavy dropout in its middle.
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::deeprecommender {
namespace {

namespace nn = torch::nn;

class AutoEncoder : public nn::Module {
 public:
  explicit AutoEncoder(const std::vector<std::int64_t>& sizes) : encoder_layers_(sizes.size() - 1) {
    for (std::size_t i = 0; i < encoder_layers_; ++i) add(sizes[i], sizes[i + 1]);
    for (std::size_t i = encoder_layers_; i > 0; --i) add(sizes[i], sizes[i - 1]);
    dropout_ = register_module("drop", nn::Dropout(0.8));
  }

  torch::Tensor forward(torch::Tensor x) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      x = torch::selu(layers_[i]->forward(x));
      if (i + 1 == encoder_layers_) x = dropout_->forward(x);
    }
    return x;
  }

 private:
  void add(std::int64_t in, std::int64_t out) {
    nn::Linear layer(in, out);
    nn::init::xavier_uniform_(layer->weight);
    nn::init::zeros_(layer->bias);
    layers_.push_back(register_module("layer" + std::to_string(layers_.size()), layer));
  }

  std::size_t encoder_layers_;
  std::vector<nn::Linear> layers_;
  nn::Dropout dropout_{nullptr};
};

// Only what was rated counts.
torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& ratings) {
  const torch::Tensor rated = (ratings != 0).to(torch::kFloat);
  return torch::mse_loss(output * rated, ratings, at::Reduction::Sum) / rated.sum();
}

std::unique_ptr<Workload> make_recommender(const Setup& setup) {
  const std::vector<std::int64_t> sizes =
      by_size<std::vector<std::int64_t>>(setup, {197951, 512, 512, 1024}, {2048, 128, 128, 256});
  auto module = std::make_shared<AutoEncoder>(sizes);
  module->to(setup.device);
  const torch::Tensor ratings = torch::randn({setup.batch, sizes[0]}, torch::TensorOptions().device(setup.device));

  return standard_workload(setup, {.module = module,
                                   .forward = [module, ratings] { return Tensors{module->forward(ratings)}; },
                                   .loss = [ratings](const Tensors& outputs) { return loss(outputs[0], ratings); },
                                   .optimizer = use_sgd(torch::optim::SGDOptions(0.005).momentum(0.9)),
                                   .inputs = {ratings}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "nvidia_deeprecommender",
           .domain = "recommendation",
           .task = "recommendation",
           .source = "NVIDIA/DeepRecommender",
           .parameters = 204475711,
           .paper_batch = {.train = 256, .infer = 256},
           .ci_batch = {.train = 256, .infer = 1024},
           .make = make_recommender}};
}

}  // namespace tbci::suite::models::deeprecommender
