// dlrm: Naumov et al., Deep Learning Recommendation Model for Personalization and Recommendation Systems (2019):
// sums of embedding rows, a bottom and a top MLP, and the dot products between all features.
#include <cmath>

#include "suite/blocks/dlrm_layers.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/table_sizes.hpp"

namespace tbci::suite::models::dlrm {
namespace {

namespace nn = torch::nn;

// What users ask for. In the original all rows of a table are alike; in production few rows get most lookups, and what
// was looked up comes again soon (Gupta et al., The architectural implications of Facebook's DNN-based personalized
// recommendation, 2020), which caches live on.
enum class Lookups { uniform, skewed };

struct DlrmShape {
  std::vector<std::int64_t> tables;  // rows of each
  std::int64_t width;                // of a row
  std::vector<std::int64_t> bottom;  // layer sizes from the dense features up
  std::vector<std::int64_t> top;     // hidden layers; the output is one number
  std::int64_t lookups;              // in each table for each sample, on average
  Lookups kind;
};

struct Bags {
  Tensors indices;  // of one table each
  Tensors offsets;
};

class Dlrm : public nn::Module {
 public:
  explicit Dlrm(const DlrmShape& shape) {
    for (std::size_t i = 0; i < shape.tables.size(); ++i) {
      const double bound = std::sqrt(1.0 / static_cast<double>(shape.tables[i]));
      const torch::Tensor rows = torch::empty({shape.tables[i], shape.width}).uniform_(-bound, bound);
      tables_.push_back(register_parameter("table" + std::to_string(i), rows));
    }
    const auto features = static_cast<std::int64_t>(shape.tables.size()) + 1;
    std::vector<std::int64_t> top = shape.top;
    top.insert(top.begin(), dlrm_top_inputs(features, shape.width));
    top.push_back(1);
    bottom_ = register_module("bot_l", dlrm_layers(shape.bottom, AfterLast::relu));
    top_ = register_module("top_l", dlrm_layers(top, AfterLast::relu_alive));
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
    return top_->forward(dlrm_interactions(features, first_, second_));
  }

 private:
  Tensors tables_;
  nn::Sequential bottom_, top_;
  torch::Tensor first_, second_;
};

// Numbers of rows by Zipf's law: the row of rank r is asked for about 1/r as often as the first. Which row has which
// rank is by chance. Seven lookups of ten come after users with other tastes; three repeat one of the last few.
torch::Tensor skewed_rows(std::int64_t rows, std::int64_t count) {
  constexpr double repeated = 0.3;
  constexpr std::int64_t memory = 256;  // lookups
  const double range = std::log(static_cast<double>(rows) + 1.0);
  const torch::Tensor rank = (torch::rand({count}, torch::kDouble) * range).exp().floor().to(torch::kLong) - 1;
  torch::Tensor row = torch::randperm(rows, torch::kLong).index_select(0, rank.clamp(0, rows - 1));
  const torch::Tensor repeats = torch::rand({count}) < repeated;
  const torch::Tensor back = torch::randint(1, memory + 1, {count}, torch::kLong);
  auto at = row.accessor<std::int64_t, 1>();
  const auto repeat = repeats.accessor<bool, 1>();
  const auto distance = back.accessor<std::int64_t, 1>();
  for (std::int64_t i = memory; i < count; ++i) {
    if (repeat[i]) at[i] = at[i - distance[i]];
  }
  return row;
}

Bags lookups(const DlrmShape& shape, std::int64_t batch) {
  const bool skewed = shape.kind == Lookups::skewed;
  Bags bags;
  for (const std::int64_t rows : shape.tables) {
    const torch::Tensor sizes = skewed ? torch::randint(1, 2 * shape.lookups, {batch}, torch::kLong)
                                       : torch::full({batch}, shape.lookups, torch::kLong);
    const auto total = sizes.sum().item<std::int64_t>();
    bags.offsets.push_back(sizes.cumsum(0) - sizes);
    bags.indices.push_back(skewed ? skewed_rows(rows, total) : torch::randint(rows, {total}, torch::kLong));
  }
  return bags;
}

// Tables of `largest` rows, half of that, a third, ...
std::vector<std::int64_t> uneven_tables(std::int64_t count, std::int64_t largest) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 1; i <= count; ++i) rows.push_back(largest / i);
  return rows;
}

// The original's default looks rows up by the hundred and has wide layers as well, so that neither alone decides its
// time. The variants do: classes RMC2 (many tables, many lookups, small layers) and RMC3 (large layers, few lookups) of
// Gupta et al., DeepRecSys (2020).
enum class Variant { original, embedding_bound, mlp_bound };

DlrmShape shape_of(Variant variant, Size size) {
  const bool paper = size == Size::paper;
  switch (variant) {
    case Variant::original:
      if (paper) {
        return {.tables = std::vector<std::int64_t>(8, 1000000),
                .width = 64,
                .bottom = {512, 512, 64},
                .top = {1024, 1024, 1024},
                .lookups = 100,
                .kind = Lookups::uniform};
      }
      return {.tables = uneven_tables(8, 50000),
              .width = 16,
              .bottom = {64, 64, 16},
              .top = {128, 128, 128},
              .lookups = 40,
              .kind = Lookups::skewed};
    case Variant::embedding_bound:
      if (paper)
        return {.tables = uneven_tables(40, 1000000),
                .width = 32,
                .bottom = {256, 128, 32},
                .top = {512, 128},
                .lookups = 80,
                .kind = Lookups::skewed};
      return {.tables = uneven_tables(20, 50000),
              .width = 32,
              .bottom = {32, 16, 32},
              .top = {64, 16},
              .lookups = 80,
              .kind = Lookups::skewed};
    case Variant::mlp_bound:
      break;
  }
  if (paper)
    return {.tables = uneven_tables(10, 1000000),
            .width = 32,
            .bottom = {2560, 512, 32},
            .top = {512, 128},
            .lookups = 20,
            .kind = Lookups::skewed};
  return {.tables = uneven_tables(4, 50000),
          .width = 16,
          .bottom = {1024, 256, 16},
          .top = {256, 64},
          .lookups = 4,
          .kind = Lookups::skewed};
}

DlrmShape chosen_shape(const Setup& setup, Variant variant) {
  DlrmShape shape = shape_of(variant, setup.size);
  shape.tables = chosen_rows(setup.chosen, shape.tables);
  shape.width = shape.bottom.back() = chosen_size(setup.chosen, width_choice, shape.width);
  return shape;
}

std::unique_ptr<Workload> make(const Setup& setup, Variant variant) {
  const DlrmShape shape = chosen_shape(setup, variant);
  auto module = std::make_shared<Dlrm>(shape);
  module->to(setup.device);
  const torch::Tensor dense = torch::rand({setup.batch, shape.bottom[0]}).to(setup.device);
  const torch::Tensor target = torch::rand({setup.batch, 1}).to(setup.device);
  Bags bags = lookups(shape, setup.batch);
  for (Tensors* tensors : {&bags.indices, &bags.offsets}) {
    for (torch::Tensor& tensor : *tensors) tensor = tensor.to(setup.device);
  }

  Tensors inputs{dense};
  inputs.insert(inputs.end(), bags.indices.begin(), bags.indices.end());
  inputs.insert(inputs.end(), bags.offsets.begin(), bags.offsets.end());
  return standard_workload(setup,
                           {.module = module,
                            .forward = [module, dense, bags] { return Tensors{module->forward(dense, bags)}; },
                            .loss = [target](const Tensors& outputs) { return torch::mse_loss(outputs[0], target); },
                            .optimizer = use_sgd(0.01),
                            .inputs = inputs});
}

struct Row {
  std::string name;
  Variant variant;
  std::int64_t parameters;
  BatchSizes ci;
  std::string differs;
  Listed listed;
};

Benchmark benchmark(const Row& row) {
  const auto make_variant = [variant = row.variant](const Setup& setup) { return make(setup, variant); };
  return {.name = row.name,
          .domain = "recommendation",
          .task = "recommendation",
          .source = "facebookresearch/dlrm",
          .parameters = row.parameters,
          .paper_batch = {.train = 2048, .infer = 2048},
          .ci_batch = row.ci,
          .make = make_variant,
          .differs = row.differs,
          .listed = row.listed,
          .choices = {rows_choice, width_choice},
          .learns = row.variant == Variant::original};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const std::string sizes = "tables, layers and lookups: ";
  return {benchmark({.name = "dlrm",
                     .variant = Variant::original,
                     .parameters = 514499137,
                     .ci = {.train = 512, .infer = 6144},
                     .differs = "the lookups of a bag are not sorted and may repeat",
                     .listed = Listed::table1}),
          benchmark({.name = "dlrm_embedding_bound",
                     .variant = Variant::embedding_bound,
                     .parameters = 137452577,
                     .ci = {.train = 128, .infer = 1536},
                     .differs = sizes + "many tables of uneven size, most lookups in few rows, small layers",
                     .listed = Listed::later}),
          benchmark({.name = "dlrm_mlp_bound",
                     .variant = Variant::mlp_bound,
                     .parameters = 95165441,
                     .ci = {.train = 1536, .infer = 4096},
                     .differs = sizes + "few lookups, most of them in few rows, large layers",
                     .listed = Listed::later})};
}

}  // namespace tbci::suite::models::dlrm
