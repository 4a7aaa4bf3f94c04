// dlrm_tiered: a dlrm whose embedding tables are larger than the memory that they may have. The tables that are asked
// for most often for their size lie in memory; the others lie in files, and a cache holds some of their rows, as in
// "MTrainS: Improving DLRM training efficiency using heterogeneous memories" (2023) and "Supporting Massive DLRM
// Inference Through Software Defined Memory" (2021). Each iteration has another batch, and a thread brings in the next
// one's rows.
#include <algorithm>
#include <random>
#include <utility>

#include "suite/benchmark.hpp"
#include "suite/blocks/dlrm_layers.hpp"
#include "suite/blocks/optimizers.hpp"
#include "suite/blocks/table_sizes.hpp"
#include "suite/blocks/tiers/tier_choices.hpp"
#include "suite/blocks/tiers/tiered_tables.hpp"
#include "suite/memory.hpp"

namespace tbci::suite::models::dlrm_tiered {
namespace {

namespace nn = torch::nn;

constexpr double learning_rate = 0.01;

const ModelChoice memory_choice = cache_choice({"1/8", "1/32", "1/16", "1/4", "1/2", "1"});
const ModelChoice prefetch_choice = {"prefetch", {"on", "off"}, "whether the next batch's rows come in meanwhile"};

struct Shape {
  TieredShape tables;
  std::vector<std::int64_t> bottom, top;
  std::size_t batches;  // that are drawn: then the first one comes again
};

// Tables of `largest` rows, half of that, a third, ...; a table in three is asked for often, one seldom.
std::vector<PlacedTable> tables_of(std::int64_t count, std::int64_t largest, double lookups) {
  const double how_often[] = {1.0, 1.6, 0.4};
  std::vector<PlacedTable> tables;
  for (std::int64_t i = 0; i < count; ++i) tables.push_back({largest / (i + 1), lookups * how_often[i % 3]});
  return tables;
}

Shape shape_of(const Setup& setup) {
  const bool paper = setup.size == Size::paper;
  const std::int64_t rows = chosen_size(setup.chosen, rows_choice, paper ? 2000000 : 131072);
  const std::int64_t width = chosen_size(setup.chosen, width_choice, paper ? 64 : 32);
  if (paper) return {{tables_of(26, rows, 20), width, setup.batch}, {256, 128, width}, {512, 256}, 16};
  return {{tables_of(8, rows, 25), width, setup.batch}, {64, 64, width}, {128, 64}, 32};
}

struct Batch {
  BatchRows rows;
  Tensors offsets;
  torch::Tensor dense, target;
};

Batch draw_batch(const Shape& shape, const TieredTables& tables, std::mt19937_64& random) {
  const std::int64_t samples = shape.tables.batch;
  Batch batch;
  for (std::size_t table = 0; table < shape.tables.tables.size(); ++table) {
    const auto mean = static_cast<std::int64_t>(shape.tables.tables[table].lookups);
    const torch::Tensor sizes = torch::randint(1, 2 * mean, {samples}, torch::kLong);
    batch.offsets.push_back(sizes.cumsum(0) - sizes);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(sizes.sum().item<std::int64_t>()));
    for (std::int64_t& row : rows) row = tables.law(table).draw(random);
    batch.rows.push_back(std::move(rows));
  }
  batch.dense = torch::rand({samples, shape.bottom[0]});
  batch.target = batch.dense.mean(1, true);  // so that there is something to learn
  return batch;
}

class Layers : public nn::Module {
 public:
  explicit Layers(const Shape& shape) {
    const auto features = static_cast<std::int64_t>(shape.tables.tables.size()) + 1;
    std::vector<std::int64_t> top = shape.top;
    top.insert(top.begin(), dlrm_top_inputs(features, shape.tables.width));
    top.push_back(1);
    bottom_ = register_module("bot_l", dlrm_layers(shape.bottom, AfterLast::relu));
    top_ = register_module("top_l", dlrm_layers(top, AfterLast::relu_alive));
    const torch::Tensor pairs = torch::tril_indices(features, features, -1);
    first_ = register_buffer("first", pairs[0].clone());
    second_ = register_buffer("second", pairs[1].clone());
  }

  torch::Tensor forward(const Batch& batch, const TieredTables::Ready& ready) {
    Tensors features{bottom_->forward(batch.dense)};
    for (std::size_t table = 0; table < ready.weights.size(); ++table) {
      constexpr bool scale_by_frequency = false, sparse = true;
      constexpr std::int64_t sum = 0;
      features.push_back(std::get<0>(torch::embedding_bag(ready.weights[table], ready.indices[table],
                                                          batch.offsets[table], scale_by_frequency, sum, sparse)));
    }
    return top_->forward(dlrm_interactions(features, first_, second_));
  }

 private:
  nn::Sequential bottom_, top_;
  torch::Tensor first_, second_;
};

class DlrmTiered final : public Workload {
 public:
  DlrmTiered(const Setup& setup, const Shape& shape, const TieredOptions& options)
      : mode_(setup.mode), tables_(shape.tables, options), layers_(std::make_shared<Layers>(shape)) {
    layers_->train(mode_ == Mode::train);
    optimizer_ = use_sgd(learning_rate)(layers_->parameters());
    std::mt19937_64 random(
        static_cast<std::uint64_t>(torch::randint(1L << 62, {1}, torch::kLong).item<std::int64_t>()));
    for (std::size_t i = 0; i < shape.batches; ++i) batches_.push_back(draw_batch(shape, tables_, random));
  }

  void iterate() override {
    const Batch& batch = batches_[next_];
    next_ = (next_ + 1) % batches_.size();
    const TieredTables::Ready ready = tables_.take(batch.rows, &batches_[next_].rows);
    if (mode_ == Mode::infer) {
      const torch::NoGradGuard no_gradients;
      results_ = {layers_->forward(batch, ready)};
      return;
    }
    zero_gradients(*optimizer_);
    const torch::Tensor loss = torch::mse_loss(layers_->forward(batch, ready), batch.target);
    loss.backward();
    take_step(*optimizer_);
    tables_.descend(learning_rate);
    results_ = {loss.detach()};
  }

  Tensors results() const override { return results_; }

  Tensors parameters() const override {
    Tensors all = tables_.tables();
    for (const torch::Tensor& parameter : layers_->parameters()) all.push_back(parameter);
    return all;
  }

  void restart_evidence() override { tables_.restart_counts(); }
  std::vector<Evidence> evidence() const override;

 private:
  Mode mode_;
  std::vector<Batch> batches_;  // before the tables, whose thread reads the next one
  TieredTables tables_;
  std::shared_ptr<Layers> layers_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::size_t next_ = 0;
  Tensors results_;
};

void add_traffic(std::vector<Evidence>& evidence, const std::string& of, const TableTraffic& traffic, double batches) {
  const auto mean = [&](std::int64_t count) { return static_cast<double>(count) / batches; };
  evidence.push_back({"lookups", of, EvidenceUnit::count, mean(traffic.lookups)});
  evidence.push_back({"unique rows", of, EvidenceUnit::count, mean(traffic.unique_rows)});
  evidence.push_back({"hits", of, EvidenceUnit::count, mean(traffic.hits)});
  evidence.push_back({"bytes read", of, EvidenceUnit::bytes, mean(traffic.bytes_read)});
  evidence.push_back({"bytes written", of, EvidenceUnit::bytes, mean(traffic.bytes_written)});
}

std::vector<Evidence> DlrmTiered::evidence() const {
  const auto batches = static_cast<double>(std::max<std::int64_t>(1, tables_.batches()));
  std::vector<Evidence> evidence;
  TableTraffic all, in_memory, in_files;
  for (std::size_t table = 0; table < tables_.traffic().size(); ++table) {
    add_up(all, tables_.traffic()[table]);
    add_up(tables_.in_memory(table) ? in_memory : in_files, tables_.traffic()[table]);
  }
  add_traffic(evidence, "", all, batches);
  evidence.push_back(
      {"waited for rows", "", EvidenceUnit::nanoseconds, static_cast<double>(tables_.waited_nanoseconds()) / batches});
  const ResidentPages pages = resident_pages();
  evidence.push_back({"anonymous pages", "", EvidenceUnit::bytes, static_cast<double>(pages.anonymous_bytes)});
  evidence.push_back({"file pages", "", EvidenceUnit::bytes, static_cast<double>(pages.file_bytes)});
  add_traffic(evidence, "tables in memory", in_memory, batches);
  add_traffic(evidence, "tables in files", in_files, batches);
  for (std::size_t table = 0; table < tables_.traffic().size(); ++table) {
    const std::string tier = tables_.in_memory(table) ? " in memory" : " in a file";
    add_traffic(evidence, "table " + std::to_string(table) + tier, tables_.traffic()[table], batches);
  }
  return evidence;
}

std::unique_ptr<Workload> make(const Setup& setup) {
  if (!setup.device.is_cpu())
    throw Unsupported("dlrm_tiered keeps its tables in the host's memory and files: CPU only");
  const TieredOptions options{.memory = share_of_memory(setup.chosen, memory_choice),
                              .access = access_of(setup.chosen),
                              .prefetch = chosen_index(setup.chosen, prefetch_choice) == 0,
                              .training = setup.mode == Mode::train,
                              .folder = folder_of_row_files()};
  return std::make_unique<DlrmTiered>(setup, shape_of(setup), options);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "dlrm_tiered",
           .domain = "recommendation",
           .task = "recommendation",
           .source = "facebookresearch/dlrm",
           .parameters = 493751169,
           .paper_batch = {.train = 2048, .infer = 2048},
           .ci_batch = {.train = 256, .infer = 1024},
           .make = make,
           .differs = "tables in files behind a cache of their rows, lookups as Meta published them, a new batch each "
                      "iteration",
           .listed = Listed::later,
           .choices = {memory_choice, access_choice, prefetch_choice, rows_choice, width_choice},
           .only_eager = true}};
}

}  // namespace tbci::suite::models::dlrm_tiered
