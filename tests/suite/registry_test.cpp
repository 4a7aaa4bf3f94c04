#include "suite/registry.hpp"

#include <set>

#include "torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Registry: a mistyped name finds the nearest", "[suite]") {
  CHECK(find_benchmark("resnet18") != nullptr);
  CHECK(find_benchmark("resnet19") == nullptr);
  CHECK(nearest_benchmark("resnet19") == "resnet18");
  CHECK(nearest_benchmark("bert_pytorch") == "BERT_pytorch");
  CHECK(nearest_benchmark("dlmr") == "dlrm");
}

TEST_CASE("Registry: every name is unique", "[suite]") {
  std::set<std::string> names;
  for (const Benchmark& benchmark : all_benchmarks()) CHECK(names.insert(benchmark.name).second);
}
