#include <algorithm>
#include <cstdio>
#include <map>

#include "suite/ranks/clicks.hpp"
#include "suite/registry.hpp"
#include "tests/suite/ranks/worker.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

constexpr std::uint64_t hybrid_seed = 11;
constexpr std::int64_t hybrid_batch = 48;
constexpr int hybrid_iterations = 50;

Setup setup_of(int ranks, const ChosenValues& chosen, Mode mode = Mode::train, std::int64_t size = hybrid_batch) {
  torch::set_num_threads(1);
  torch::manual_seed(hybrid_seed);
  Setup setup{mode, Size::ci, size, torch::Device(torch::kCPU), chosen};
  setup.ranks = ranks;
  return setup;
}

std::unique_ptr<Workload> hybrid(const Setup& setup) {
  return find_benchmark("dlrm_hybrid")->make(setup);
}

std::vector<float> losses_of(int ranks, const ChosenValues& chosen, int iterations = hybrid_iterations) {
  const auto workload = hybrid(setup_of(ranks, chosen));
  std::vector<float> losses;
  for (int i = 0; i < iterations; ++i) {
    workload->iterate();
    losses.push_back(workload->results()[0].item<float>());
  }
  return losses;
}

// The same model as anybody would write it in one process: autograd alone, dense gradients of whole tables.
std::vector<float> losses_of_one_process(bool tables_learn) {
  const auto whole = hybrid(setup_of(1, {}));
  Tensors parameters;
  for (const torch::Tensor& parameter : whole->parameters())
    parameters.push_back(parameter.detach().clone().requires_grad_(true));
  constexpr std::size_t layers = 10, tables = 16;  // weights and biases of 2 and 3 layers
  REQUIRE(parameters.size() == layers + tables);
  const std::vector<std::int64_t> lookups{24, 20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2};
  ranks::ClickShape shape{64, {}};
  for (std::size_t i = 0; i < tables; ++i) shape.tables.push_back({parameters[layers + i].size(0), lookups[i]});
  const auto linear = [&](const torch::Tensor& x, std::size_t i) {
    return torch::linear(x, parameters[2 * i], parameters[2 * i + 1]);
  };

  const Tensors learning(parameters.begin(), tables_learn ? parameters.end() : parameters.begin() + layers);
  torch::optim::SGD optimizer(learning, torch::optim::SGDOptions(0.5));
  std::vector<float> losses;
  for (std::uint64_t iteration = 0; iteration < hybrid_iterations; ++iteration) {
    const ranks::Clicks clicks = ranks::draw_clicks(shape, hybrid_seed, iteration, {0, hybrid_batch});
    const torch::Tensor dense = torch::tensor(at::ArrayRef<float>(clicks.dense)).view({hybrid_batch, -1});
    const torch::Tensor x = linear(linear(dense, 0).relu(), 1).relu();
    Tensors features{x};
    for (std::size_t i = 0; i < tables; ++i) {
      const torch::Tensor lengths = torch::tensor(at::ArrayRef<std::int32_t>(clicks.tables[i].lengths), torch::kLong);
      const torch::Tensor rows = torch::tensor(at::ArrayRef<std::int32_t>(clicks.tables[i].rows), torch::kLong);
      const torch::Tensor sample = torch::repeat_interleave(torch::arange(hybrid_batch), lengths);
      features.push_back(torch::zeros({hybrid_batch, 32}).index_add(0, sample, parameters[layers + i].index({rows})));
    }
    const torch::Tensor all = torch::stack(features, 1);
    const torch::Tensor pairs = torch::tril_indices(17, 17, -1);
    const torch::Tensor products =
        torch::bmm(all, all.transpose(1, 2)).index({torch::indexing::Slice(), pairs[0], pairs[1]});
    const torch::Tensor y = linear(linear(linear(torch::cat({x, products}, 1), 2).relu(), 3).relu(), 4).sigmoid();
    const torch::Tensor target = torch::tensor(at::ArrayRef<float>(clicks.target)).view({hybrid_batch, 1});
    const torch::Tensor loss = torch::mse_loss(y, target);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
  }
  return losses;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  return largest;
}

// Of an iteration, by name and rank; of all where `of` is empty.
double counted(const Workload& workload, const std::string& name, const std::string& of) {
  for (const Evidence& each : workload.evidence()) {
    if (each.name == name && each.of == of) return each.value;
  }
  FAIL(name << " of " << of << " is not counted");
  return 0;
}

double busiest_by_mean(const ChosenValues& chosen, int ranks) {
  const auto workload = hybrid(setup_of(ranks, chosen, Mode::infer, 512));
  workload->restart_evidence();
  for (int i = 0; i < 2; ++i) workload->iterate();
  double busiest = 0;
  for (int rank = 0; rank < ranks; ++rank)
    busiest = std::max(busiest, counted(*workload, "lookups", "rank " + std::to_string(rank)));
  return busiest * ranks / counted(*workload, "lookups", "");
}

}  // namespace

TEST_CASE("Models: dlrm_hybrid learns, whatever its ranks, as one process does", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  const std::vector<float> expected = losses_of_one_process(true);
  CHECK(largest_difference(losses_of_one_process(false), expected) > 1e-4);  // so a table that does not learn is seen
  for (const char* split : {"table", "row", "column", "both"}) {
    for (const int ranks : {1, 2, 4}) {
      if (ranks == 1 && (split == std::string("row") || split == std::string("column")))
        continue;  // uncut, as by table
      INFO("split by " << split << ", " << ranks << " ranks");
      const std::vector<float> losses = losses_of(ranks, {{"split", split}});
      CHECK(largest_difference(losses, expected) < 1e-5);
      if (ranks == 2) CHECK(losses == losses_of(ranks, {{"split", split}}));
    }
  }
  CHECK(test::children().empty());
}

TEST_CASE("Models: how far the losses of dlrm_hybrid are from those of one process", "[.hybrid-losses]") {
  const test::RanksOfTests ranks_of_tests;
  const std::vector<float> expected = losses_of_one_process(true);
  std::printf("| split | ranks | wire | largest difference of a loss | two runs |\n|---|---|---|---|---|\n");
  for (const char* wire : {"fp32", "bf16"}) {
    for (const char* split : {"table", "row", "column", "both"}) {
      for (const int ranks : {1, 2, 4}) {
        const ChosenValues chosen{{"split", split}, {"wire", wire}};
        const std::vector<float> losses = losses_of(ranks, chosen);
        std::printf("| %s | %d | %s | %.2g | %s |\n", split, ranks, wire, largest_difference(losses, expected),
                    losses == losses_of(ranks, chosen) ? "equal" : "differ");
      }
    }
  }
}

TEST_CASE("Models: dlrm_hybrid computes the same with and without overlap", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  CHECK(losses_of(2, {{"overlap", "off"}}) == losses_of(2, {}));
}

TEST_CASE("Models: dlrm_hybrid sends half the bytes of rows in bf16, and learns the same within its rounding",
          "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  std::map<std::string, double> bytes;
  for (const char* wire : {"fp32", "bf16"}) {
    const auto workload = hybrid(setup_of(2, {{"wire", wire}}));
    workload->restart_evidence();
    workload->iterate();
    bytes[wire] = counted(*workload, "bytes sent of rows", "");
  }
  // The sums of 16 tables for the half of the samples that the other rank has, and their gradients back.
  CHECK(bytes["fp32"] == 2 * hybrid_batch / 2 * 16 * 32 * 4);
  CHECK(bytes["bf16"] * 2 == bytes["fp32"]);
  const double difference = largest_difference(losses_of(2, {{"wire", "bf16"}}), losses_of(2, {}));
  CHECK(difference > 0);
  CHECK(difference < 1e-2);
}

TEST_CASE("Models: dlrm_hybrid learns the same where its tables lie in files", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  for (const auto& [split, access] : {std::pair("table", "mapped"), std::pair("both", "blocks")}) {
    INFO("split by " << split << ", " << access);
    const ChosenValues in_files{{"split", split}, {"cache", "1/8"}, {"access", access}};
    constexpr int iterations = 10;  // reading files takes long
    const std::vector<float> losses = losses_of(2, in_files, iterations);
    // Which of a row's gradients is added first depends on its place in memory.
    CHECK(largest_difference(losses, losses_of(2, {{"split", split}}, iterations)) < 1e-6);
    CHECK(losses == losses_of(2, in_files, iterations));
  }
}

TEST_CASE("Models: dlrm_hybrid counts what its ranks read from files", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  const auto in_memory = hybrid(setup_of(2, {})), in_files = hybrid(setup_of(2, {{"cache", "1/8"}}));
  for (int i = 0; i < 2; ++i) {
    for (const auto& each : {std::ref(*in_memory), std::ref(*in_files)}) {
      each.get().restart_evidence();
      each.get().iterate();
    }
  }
  for (const std::string& rank : {"rank 0", "rank 1"}) {
    const double missed = counted(*in_files, "unique rows", rank) - counted(*in_files, "hits", rank);
    CHECK(missed > 0);
    CHECK(counted(*in_files, "hits", rank) > 0);
    CHECK(counted(*in_files, "bytes read", rank) == missed * 32 * 4);
    CHECK(counted(*in_files, "lookups", rank) == counted(*in_memory, "lookups", rank));
  }
  CHECK(counted(*in_files, "bytes read", "") ==
        counted(*in_files, "bytes read", "rank 0") + counted(*in_files, "bytes read", "rank 1"));
  CHECK(counted(*in_files, "unique rows", "") < counted(*in_files, "lookups", ""));

  // A row in two pieces is one row.
  const auto in_columns = hybrid(setup_of(2, {{"cache", "1/8"}, {"split", "column"}}));
  for (int i = 0; i < 2; ++i) {
    in_columns->restart_evidence();
    in_columns->iterate();
  }
  CHECK(counted(*in_columns, "unique rows", "") == counted(*in_files, "unique rows", ""));
}

TEST_CASE("Models: dlrm_hybrid refuses pieces that fill no block, and a batch that its cache does not hold",
          "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  CHECK_THROWS_WITH(hybrid(setup_of(3, {{"split", "column"}, {"cache", "1/2"}})),
                    Catch::Matchers::Contains("columns, of which no whole number of rows fills a block"));
  const auto workload = hybrid(setup_of(3, {{"cache", "1/32"}}, Mode::train, 4096));
  CHECK_THROWS_AS(workload->iterate(), Unsupported);
}

TEST_CASE("Models: dlrm_hybrid shares its lookups out", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  for (const char* split : {"table", "row", "column", "both"}) {
    INFO("split by " << split);
    CHECK(busiest_by_mean({{"split", split}}, 4) <= 1.1);
  }
  CHECK(busiest_by_mean({{"placement", "in-order"}}, 4) > 1.5);
}

TEST_CASE("Models: dlrm_hybrid infers what one process infers", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  const auto outputs = [](int ranks, const char* split) {
    const auto workload = hybrid(setup_of(ranks, {{"split", split}}, Mode::infer));
    for (int i = 0; i < 2; ++i) workload->iterate();
    return workload->results()[0];
  };
  const torch::Tensor whole = outputs(1, "table");
  CHECK(whole.sizes() == torch::IntArrayRef({hybrid_batch, 1}));
  for (const char* split : {"table", "row", "column", "both"})
    CHECK(torch::allclose(outputs(2, split), whole.slice(0, 0, hybrid_batch / 2), 1e-5, 1e-6));
}

TEST_CASE("Models: dlrm_hybrid divides its time, and its ranks have memory of their own", "[suite]") {
  const test::RanksOfTests ranks_of_tests;
  const auto workload = hybrid(setup_of(2, {}));
  workload->restart_evidence();
  for (int i = 0; i < 3; ++i) workload->iterate();
  for (const char* rank : {"rank 0", "rank 1"}) {
    CHECK(counted(*workload, "compute", rank) > 0);
    CHECK(counted(*workload, "communication exposed", rank) > 0);
    CHECK(counted(*workload, "communication hidden", rank) <= counted(*workload, "compute", rank));
    CHECK(counted(*workload, "peak memory", rank) > 1e7);
  }
}
