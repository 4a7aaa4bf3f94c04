// dlrm: Naumov et al., Deep Learning Recommendation Model for Personalization and Recommendation Systems (2019):
// sums of embedding rows, a bottom and a top MLP, and the dot products between all features.
#include <cmath>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::vector<std::int64_t> tables;  // rows of each
  std::int64_t width;                // of a row
  std::vector<std::int64_t> bottom;  // layer sizes from the dense features up
  std::vector<std::int64_t> top;     // hidden layers; the output is one number
  std::int64_t lookups;              // in each table for each sample, on average
  bool skewed;                       // rows by Zipf's law and bags of uneven size, else all alike
};

nn::Sequential mlp(const std::vector<std::int64_t>& sizes, bool sigmoid_at_end) {
  nn::Sequential layers;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const auto in = static_cast<double>(sizes[i]);
    const auto out = static_cast<double>(sizes[i + 1]);
    nn::Linear layer(sizes[i], sizes[i + 1]);
    nn::init::normal_(layer->weight, 0.0, std::sqrt(2.0 / (in + out)));
    nn::init::normal_(layer->bias, 0.0, std::sqrt(1.0 / out));
    layers->push_back(layer);
    if (sigmoid_at_end && i + 2 == sizes.size())
      layers->push_back(nn::Sigmoid());
    else
      layers->push_back(nn::ReLU());
  }
  return layers;
}

struct Bags {
  Tensors indices;  // of one table each
  Tensors offsets;
};

class Dlrm : public nn::Module {
 public:
  explicit Dlrm(const Shape& shape) {
    for (std::size_t i = 0; i < shape.tables.size(); ++i) {
      const double bound = std::sqrt(1.0 / static_cast<double>(shape.tables[i]));
      const torch::Tensor rows = torch::empty({shape.tables[i], shape.width}).uniform_(-bound, bound);
      tables_.push_back(register_parameter("table" + std::to_string(i), rows));
    }
    const auto features = static_cast<std::int64_t>(shape.tables.size()) + 1;
    std::vector<std::int64_t> top = shape.top;
    top.insert(top.begin(), features * (features - 1) / 2 + shape.width);
    top.push_back(1);
    bottom_ = register_module("bot_l", mlp(shape.bottom, false));
    top_ = register_module("top_l", mlp(top, true));
    const torch::Tensor pairs = torch::tril_indices(features, features, -1);
    first_ = register_buffer("first", pairs[0].clone());
    second_ = register_buffer("second", pairs[1].clone());
  }

  torch::Tensor forward(const torch::Tensor& dense, const Bags& bags) {
    const torch::Tensor x = bottom_->forward(dense);
    Tensors features{x};
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      constexpr bool scale_by_frequency = false, sparse = true;
      constexpr std::int64_t sum = 0;
      features.push_back(std::get<0>(
          torch::embedding_bag(tables_[i], bags.indices[i], bags.offsets[i], scale_by_frequency, sum, sparse)));
    }
    const torch::Tensor all = torch::cat(features, 1).view({x.size(0), -1, x.size(1)});
    const torch::Tensor products = torch::bmm(all, all.transpose(1, 2));
    const torch::Tensor pairs = products.index({torch::indexing::Slice(), first_, second_});
    return top_->forward(torch::cat({x, pairs}, 1));
  }

 private:
  Tensors tables_;
  nn::Sequential bottom_, top_;
  torch::Tensor first_, second_;
};

// Row numbers with a density that falls as 1/row: most lookups go to few rows, as with real users.
torch::Tensor skewed_rows(std::int64_t rows, std::int64_t count) {
  const double range = std::log(static_cast<double>(rows) + 1.0);
  const torch::Tensor row = (torch::rand({count}, torch::kDouble) * range).exp().floor().to(torch::kLong) - 1;
  return row.clamp(0, rows - 1);
}

Bags lookups(const Shape& shape, std::int64_t batch) {
  Bags bags;
  for (const std::int64_t rows : shape.tables) {
    const torch::Tensor sizes = shape.skewed ? torch::randint(1, 2 * shape.lookups, {batch}, torch::kLong)
                                             : torch::full({batch}, shape.lookups, torch::kLong);
    const auto total = sizes.sum().item<std::int64_t>();
    bags.offsets.push_back(sizes.cumsum(0) - sizes);
    bags.indices.push_back(shape.skewed ? skewed_rows(rows, total) : torch::randint(rows, {total}, torch::kLong));
  }
  return bags;
}

Shape shape_of(Size size) {
  if (size == Size::paper) {
    return {std::vector<std::int64_t>(8, 1000000), 64, {512, 512, 64}, {1024, 1024, 1024}, 100, false};
  }
  return {{50000, 20000, 10000, 5000, 2000, 500}, 16, {16, 32, 16}, {32, 16}, 40, true};
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = shape_of(setup.size);
  auto module = std::make_shared<Dlrm>(shape);
  module->to(setup.device);
  const torch::Tensor dense = torch::rand({setup.batch, shape.bottom[0]}).to(setup.device);
  const torch::Tensor target = torch::rand({setup.batch, 1}).to(setup.device);
  Bags bags = lookups(shape, setup.batch);
  for (Tensors* tensors : {&bags.indices, &bags.offsets}) {
    for (torch::Tensor& tensor : *tensors) tensor = tensor.to(setup.device);
  }

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [module, dense, bags] { return Tensors{module->forward(dense, bags)}; };
  parts.loss = [target](const Tensors& outputs) { return torch::mse_loss(outputs[0], target); };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) {
    return std::make_unique<torch::optim::SGD>(std::move(parameters), torch::optim::SGDOptions(0.01));
  };
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace

std::vector<Benchmark> dlrm() {
  return {{"dlrm",
           "recommendation",
           "recommendation",
           "facebookresearch/dlrm",
           514540609,
           {2048, 2048},
           {1024, 8192},
           make}};
}

}  // namespace tbci::suite::models
