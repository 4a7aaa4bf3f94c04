#include <map>

#include "suite/registry.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

std::unique_ptr<Workload> tiered(const ChosenValues& chosen, Mode mode, std::int64_t batch) {
  torch::manual_seed(4);
  return find_benchmark("dlrm_tiered")->make({mode, Size::ci, batch, torch::Device(torch::kCPU), chosen});
}

std::vector<float> first_results(const ChosenValues& chosen, Mode mode, int iterations) {
  const auto workload = tiered(chosen, mode, 16);
  std::vector<float> results;
  for (int i = 0; i < iterations; ++i) {
    workload->iterate();
    results.push_back(workload->results()[0].sum().item<float>());
  }
  return results;
}

std::map<std::string, double> evidence_of(const Workload& workload, const std::string& of) {
  std::map<std::string, double> values;
  for (const Evidence& each : workload.evidence()) {
    if (each.of == of) values[each.name] = each.value;
  }
  return values;
}

}  // namespace

TEST_CASE("Models: dlrm_tiered", "[suite]") {
  // Its tables take their steps without the optimizer: they have no gradients after an iteration, and a table in a file
  // has not yet what its cache has.
  check_model({.name = "dlrm_tiered",
               .outputs = {{2, 1}},
               .train_batch = 16,
               .steps = 60,
               .unreached = {"0", "1", "2", "3", "4", "5", "6", "7"},
               .repeats = false,
               .large = true});
}

TEST_CASE("Models: dlrm_tiered has its 26 tables in paper size", "[.large]") {
  check_parameters({.name = "dlrm_tiered", .outputs = {}});
}

TEST_CASE("Models: dlrm_tiered computes what it computes with all tables in memory, bit for bit", "[suite]") {
  for (const Mode mode : {Mode::train, Mode::infer}) {
    const int iterations = mode == Mode::train ? 100 : 20;
    const auto expected = first_results({{"cache", "1"}}, mode, iterations);
    CHECK(first_results({}, mode, iterations) == expected);
    CHECK(first_results({{"cache", "1/32"}, {"access", "blocks"}, {"prefetch", "off"}}, mode, iterations) == expected);
  }
}

TEST_CASE("Models: dlrm_tiered asks for rows as Meta's tables are asked", "[suite]") {
  const auto workload = tiered({}, Mode::infer, find_benchmark("dlrm_tiered")->ci_batch.train);
  for (int i = 0; i < 10; ++i) workload->iterate();
  const auto all = evidence_of(*workload, "");
  CHECK(all.at("lookups") / all.at("unique rows") == tbci::test::Approx(12.7).epsilon(0.05));
}

TEST_CASE("Models: dlrm_tiered has as many rows as are chosen, each as wide as is chosen", "[suite]") {
  const auto workload = tiered({{"rows", "2048"}, {"width", "8"}, {"cache", "1"}}, Mode::train, 16);
  workload->iterate();
  const Tensors all = workload->parameters();
  CHECK(all[0].sizes() == torch::IntArrayRef({2048, 8}));
  CHECK(all[7].sizes() == torch::IntArrayRef({256, 8}));
}

TEST_CASE("Models: dlrm_tiered counts by table and tier", "[suite]") {
  const auto workload = tiered({{"cache", "1/8"}}, Mode::train, 64);
  for (int i = 0; i < 3; ++i) workload->iterate();
  workload->restart_evidence();
  workload->iterate();
  workload->iterate();
  const auto all = evidence_of(*workload, ""), memory = evidence_of(*workload, "tables in memory"),
             files = evidence_of(*workload, "tables in files");
  std::map<std::string, double> sum;
  for (const Evidence& each : workload->evidence()) {
    if (each.of.rfind("table ", 0) == 0) sum[each.name] += each.value;
  }
  for (const char* name : {"lookups", "unique rows", "hits", "bytes read", "bytes written"}) {
    INFO(name);
    CHECK(all.at(name) == memory.at(name) + files.at(name));
    CHECK(all.at(name) == sum.at(name));
  }
  CHECK(memory.at("lookups") > 0);
  CHECK(memory.at("bytes read") == 0);
  CHECK(files.at("hits") < files.at("unique rows"));
  CHECK(files.at("bytes read") == (files.at("unique rows") - files.at("hits")) * 128);
  CHECK(all.at("anonymous pages") > 1e6);
}

TEST_CASE("Models: dlrm_tiered refuses a batch that its cache does not hold, and a GPU", "[suite]") {
  const auto workload = tiered({{"cache", "1/32"}}, Mode::train, 1024);
  CHECK_THROWS_AS(workload->iterate(), Unsupported);
  CHECK_THROWS_WITH(find_benchmark("dlrm_tiered")->make({Mode::infer, Size::ci, 2, torch::Device(torch::kCUDA, 0), {}}),
                    "dlrm_tiered keeps its tables in the host's memory and files: CPU only");
}
