#include <set>

#include "suite/registry.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

std::unique_ptr<Workload> dlrm(const std::string& name, std::int64_t batch) {
  torch::manual_seed(4);
  return find_benchmark(name)->make({Mode::infer, Size::ci, batch, torch::Device(torch::kCPU)});
}

// The inputs are the dense features, the rows looked up in each table, and where each sample's rows begin.
Tensors rows_looked_up(const Workload& workload) {
  const Tensors inputs = workload.inputs();
  return {inputs.begin() + 1, inputs.begin() + 1 + static_cast<std::ptrdiff_t>((inputs.size() - 1) / 2)};
}

Tensors tables(const Workload& workload) {
  Tensors all;
  for (const auto& parameter : workload.module()->named_parameters()) {
    if (parameter.key().rfind("table", 0) == 0) all.push_back(parameter.value());
  }
  return all;
}

// Which part of the lookups found their row among the `window` lookups before.
double repeated(const torch::Tensor& rows, std::int64_t window) {
  const auto at = rows.accessor<std::int64_t, 1>();
  std::int64_t found = 0;
  for (std::int64_t i = window; i < rows.size(0); ++i) {
    bool is = false;
    for (std::int64_t k = i - window; k < i && !is; ++k) is = at[k] == at[i];
    found += is;
  }
  return static_cast<double>(found) / static_cast<double>(rows.size(0) - window);
}

// Bytes of rows that are read for each multiplication in the layers.
double bytes_per_multiplication(const std::string& name) {
  const auto workload = dlrm(name, 64);
  double bytes = 0.0, multiplications = 0.0;
  for (const torch::Tensor& rows : rows_looked_up(*workload)) {
    bytes += static_cast<double>(rows.numel() * tables(*workload)[0].size(1)) * sizeof(float);
  }
  for (const auto& parameter : workload->module()->named_parameters()) {
    const bool of_table = parameter.key().rfind("table", 0) == 0;
    if (!of_table && parameter.value().dim() == 2)
      multiplications += 64.0 * static_cast<double>(parameter.value().numel());
  }
  return bytes / multiplications;
}

}  // namespace

TEST_CASE("Models: dlrm", "[suite]") {
  check_model({.name = "dlrm", .outputs = {{2, 1}}, .train_batch = 8, .steps = 60, .large = true});
}

TEST_CASE("Models: dlrm_embedding_bound", "[suite]") {
  check_model({.name = "dlrm_embedding_bound", .outputs = {{2, 1}}, .train_batch = 8, .steps = 60});
}

TEST_CASE("Models: dlrm_mlp_bound", "[suite]") {
  check_model({.name = "dlrm_mlp_bound", .outputs = {{2, 1}}, .train_batch = 8, .steps = 60});
}

TEST_CASE("Models: dlrm in paper size has the parameters that it is listed with", "[.large]") {
  check_parameters({.name = "dlrm", .outputs = {}});
}

TEST_CASE("Models: dlrm has tables of uneven size", "[suite]") {
  for (const std::string name : {"dlrm", "dlrm_embedding_bound", "dlrm_mlp_bound"}) {
    std::set<std::int64_t> sizes;
    const auto workload = dlrm(name, 2);
    for (const torch::Tensor& table : tables(*workload)) sizes.insert(table.size(0));
    CHECK(sizes.size() == tables(*workload).size());
    CHECK(*sizes.rbegin() >= 4 * *sizes.begin());
  }
}

TEST_CASE("Models: dlrm has as many rows as are chosen, each as wide as is chosen", "[suite]") {
  for (const std::string name : {"dlrm", "dlrm_embedding_bound", "dlrm_mlp_bound"}) {
    const ChosenValues chosen = {{"rows", "2048"}, {"width", "64"}};
    const auto workload = find_benchmark(name)->make({Mode::infer, Size::ci, 2, torch::Device(torch::kCPU), chosen});
    const auto own = dlrm(name, 2);
    INFO(name);
    CHECK(tables(*workload).front().size(0) == 2048);
    CHECK(tables(*workload).back().size(0) == tables(*own).back().size(0) * 2048 / tables(*own).front().size(0));
    for (const torch::Tensor& table : tables(*workload)) CHECK(table.size(1) == 64);
    workload->iterate();
    CHECK(workload->results()[0].sizes() == torch::IntArrayRef({2, 1}));
    CHECK(why_not_chosen(chosen, find_benchmark(name)->choices, name).empty());
  }
  CHECK(find_benchmark("dlrm")->learns);
  CHECK_FALSE(find_benchmark("dlrm_mlp_bound")->learns);
}

TEST_CASE("Models: dlrm looks few rows up most of the time, by Zipf's law", "[suite]") {
  const auto workload = dlrm("dlrm", 2048);
  const Tensors rows = rows_looked_up(*workload);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t size = tables(*workload)[i].size(0);
    INFO("table of " << size << " rows");
    CHECK(rows[i].min().item<std::int64_t>() >= 0);
    CHECK(rows[i].max().item<std::int64_t>() < size);
    const torch::Tensor counts = std::get<0>(torch::bincount(rows[i], {}, size).to(torch::kDouble).sort(0, true));
    const double all = counts.sum().item<double>();
    // By Zipf's law the hundredth part of the rows gets log(size / 100) / log(size) of the lookups, about a half.
    const double expected = std::log(static_cast<double>(size) / 100.0) / std::log(static_cast<double>(size));
    CHECK(counts.slice(0, 0, size / 100).sum().item<double>() / all == tbci::test::Approx(expected).margin(0.12));
    // Ranks 1 to 3 against ranks 10 to 30: 1.83 and 1.17 by the sum of 1/rank.
    const double ratio = counts.slice(0, 0, 3).sum().item<double>() / counts.slice(0, 9, 30).sum().item<double>();
    CHECK(ratio == tbci::test::Approx(1.83 / 1.17).epsilon(0.5));
  }
}

TEST_CASE("Models: dlrm looks rows up again soon", "[suite]") {
  torch::manual_seed(9);
  for (const torch::Tensor& rows : rows_looked_up(*dlrm("dlrm", 512))) {
    const torch::Tensor shuffled = rows.index_select(0, torch::randperm(rows.size(0), torch::kLong));
    CHECK(repeated(rows, 256) > repeated(shuffled, 256) + 0.08);
  }
}

TEST_CASE("Models: one variant of dlrm is bound by embeddings, the other by its layers", "[suite]") {
  // Twenty-odd bytes from memory cost as much as a multiplication on one core; the original is in between.
  const double embeddings = bytes_per_multiplication("dlrm_embedding_bound");
  const double layers = bytes_per_multiplication("dlrm_mlp_bound");
  CHECK(embeddings > 5.0);
  CHECK(layers < 0.02);
}
