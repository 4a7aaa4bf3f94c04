#include "suite/learning/student.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "suite/blocks/dlrm_layers.hpp"
#include "suite/learning/teacher.hpp"
#include "suite/split_mix.hpp"

namespace tbci::suite::learning {
namespace {

constexpr std::int64_t row_width = 8, hidden_size = 16;
constexpr std::int64_t feature_count = teacher_tables + 1;

void draw_weights(const torch::Tensor& weights, double bound, SplitMix& random) {
  const torch::NoGradGuard no_gradients;
  float* values = weights.data_ptr<float>();
  for (std::int64_t i = 0; i < weights.numel(); ++i) values[i] = static_cast<float>(bound * (2 * random.unit() - 1));
}

}  // namespace

Student::Student(std::int64_t rows, std::uint64_t seed) {
  bottom_ = register_module("bot_l", dlrm_layers({teacher_dense, hidden_size, row_width}, AfterLast::relu));
  top_ =
      register_module("top_l", dlrm_layers({dlrm_top_inputs(feature_count, row_width), hidden_size}, AfterLast::relu));
  last_ = register_module("last", torch::nn::Linear(hidden_size, 1));
  for (std::int64_t table = 0; table < teacher_tables; ++table)
    tables_.push_back(register_parameter("table" + std::to_string(table), torch::empty({rows, row_width})));
  const torch::Tensor pairs = torch::tril_indices(feature_count, feature_count, -1);
  first_ = register_buffer("first", pairs[0].clone());
  second_ = register_buffer("second", pairs[1].clone());
  // The layers first, so that they begin the same with any number of rows.
  SplitMix random(seed);
  std::vector<torch::Tensor> layers = bottom_->parameters();
  for (const auto& more : {top_->parameters(), last_->parameters()})
    layers.insert(layers.end(), more.begin(), more.end());
  constexpr double near_zero = 0.05;  // where a row or a bias adds next to nothing
  for (const torch::Tensor& weights : layers) {
    // A variance of 1 / inputs, so that sums of inputs are neither large nor small.
    draw_weights(weights, weights.dim() == 2 ? std::sqrt(3.0 / static_cast<double>(weights.size(1))) : near_zero,
                 random);
  }
  for (const torch::Tensor& table : tables_) draw_weights(table, near_zero, random);
}

torch::Tensor Student::forward(const torch::Tensor& dense, const torch::Tensor& ranks) {
  std::vector<torch::Tensor> features{bottom_->forward(dense)};
  const torch::Tensor offsets = torch::arange(dense.size(0), torch::kLong);
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    constexpr bool scale_by_frequency = false, sparse = true;
    constexpr std::int64_t sum = 0;
    const torch::Tensor rows = ranks[static_cast<std::int64_t>(table)].clamp_max(tables_[table].size(0) - 1);
    features.push_back(
        std::get<0>(torch::embedding_bag(tables_[table], rows, offsets, scale_by_frequency, sum, sparse)));
  }
  return last_->forward(top_->forward(dlrm_interactions(features, first_, second_)));
}

std::int64_t Student::parameters_of_tables() const {
  std::int64_t sum = 0;
  for (const torch::Tensor& table : tables_) sum += table.numel();
  return sum;
}

double Student::operations_of_sample() const {
  std::int64_t products = feature_count * feature_count * row_width;
  for (const auto& layers : {bottom_, top_}) {
    for (const torch::Tensor& weights : layers->parameters()) products += weights.dim() == 2 ? weights.numel() : 0;
  }
  products += last_->weight.numel();
  return 3.0 * static_cast<double>(2 * products + teacher_tables * row_width);
}

}  // namespace tbci::suite::learning
