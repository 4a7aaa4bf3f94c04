// The golden list itself: what is written by hand stays, and it has the cases that there are.
#include "tests/suite/standin/golden.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include "suite/registry.hpp"
#include "tests/suite/torch_and_catch.hpp"
#include "tests/temporary_directory.hpp"

using namespace tbci::suite;
using namespace tbci::suite::standin;

namespace {

Counts waiting(std::int64_t times) {
  Counts counts;
  counts.launches = 7;
  counts.waits["nonzero"] = times;
  return counts;
}

}  // namespace

TEST_CASE("Stand-in: what was judged of a case stays when the list is rewritten", "[suite]") {
  const tbci::test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "list").string();
  std::ofstream(path)
      << "# a list\na/gpu-train | 1 0 0 1 | ours | nonzero 1\nb/gpu-infer | 2 0 0 1 | original | equal 1\n";
  update_golden(path, {{"a/gpu-train", entry_of(waiting(2))}, {"c/gpu-infer", entry_of(waiting(1))}});
  Golden golden = read_golden(path);
  REQUIRE(golden.size() == 3);
  CHECK(golden["a/gpu-train"].counts == "7 0 0 2");
  CHECK(golden["a/gpu-train"].origin == "ours");
  CHECK(golden["a/gpu-train"].detail == "nonzero 2");
  CHECK(golden["b/gpu-infer"].origin == "original");
  CHECK(golden["c/gpu-infer"].origin == "unknown");
  update_golden(path, {{"a/gpu-train", entry_of({})}, {"c/gpu-infer", unsupported("no kernel")}});
  golden = read_golden(path);
  CHECK(golden["a/gpu-train"].origin == "-");
  CHECK(golden["c/gpu-infer"].counts == "unsupported");
  CHECK(golden["c/gpu-infer"].detail == "no kernel");
}

TEST_CASE("Stand-in: the golden list has each case of a GPU, and no other", "[suite]") {
  const Golden golden = read_golden(TBCI_STANDIN_GOLDEN);
  for (const auto& [name, entry] : golden) {
    INFO(name);
    const std::string model = name.substr(0, name.find('/'));
    CHECK_FALSE(family_of(model).empty());
    const Benchmark* benchmark = find_benchmark(model);
    if (benchmark == nullptr) continue;  // not in a worker of chosen families
    CHECK(benchmark->modes.has(name == model + "/gpu-train" ? Mode::train : Mode::infer));
    const bool judged = entry.origin == "original" || entry.origin == "partly" || entry.origin == "ours";
    CHECK((judged || entry.origin == "unknown" || entry.origin == "-"));
  }
  for (const Benchmark& benchmark : all_benchmarks()) {
    INFO(benchmark.name);
    if (benchmark.modes.train) CHECK(golden.count(benchmark.name + "/gpu-train") == 1);
    if (benchmark.modes.infer) CHECK(golden.count(benchmark.name + "/gpu-infer") == 1);
  }
}
