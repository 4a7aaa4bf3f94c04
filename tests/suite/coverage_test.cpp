// What the whole suite reaches is a list under version control, so that a lost operator is seen in a diff.
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "suite/operators.hpp"
#include "suite/registry.hpp"
#include "suite/version.hpp"
#include "tests/suite/ranks/worker.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

std::set<std::string> reached_by(const Benchmark& benchmark, const Mode mode) {
  torch::set_num_threads(1);
  torch::manual_seed(42);
  const auto workload = benchmark.make({mode, Size::ci, benchmark.ci_batch.of(mode), torch::Device(torch::kCPU)});
  workload->iterate();
  return operators_of([&] { workload->iterate(); }).at_any_depth;
}

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.insert(line);
  }
  return lines;
}

void write(const std::string& path, const std::set<std::string>& names) {
  std::ofstream file(path);
  file << "# Operators that the suite reaches in ci size on the CPU, train and infer, at any depth, with LibTorch "
          "2.13.\n"
       << "# TBCI_UPDATE_GOLDEN=1 suite-test '-#' '[#coverage_test]' rewrites it.\n";
  for (const std::string& name : names) file << name << "\n";
  REQUIRE(file.flush());
}

}  // namespace

TEST_CASE("Coverage: the suite reaches the operators of the golden list", "[suite]") {
  const tbci::suite::test::RanksOfTests ranks_of_tests;
  std::set<std::string> reached;
  for (const Benchmark& benchmark : all_benchmarks()) {
    for (const Mode mode : {Mode::train, Mode::infer}) {
      if (benchmark.modes.has(mode)) reached.merge(reached_by(benchmark, mode));
    }
  }
  const std::string golden = TBCI_SUITE_GOLDEN;
  if (std::getenv("TBCI_UPDATE_GOLDEN") != nullptr) write(golden, reached);
  if (torch_version().version.rfind("2.13.", 0) != 0) {
    WARN("the golden list is of LibTorch 2.13, this is " << torch_version().version << ": not compared");
    return;
  }
  const auto known = lines_of(golden);
  for (const std::string& name : known) {
    INFO("no longer reached: " << name);
    CHECK(reached.count(name) == 1);
  }
  for (const std::string& name : reached) {
    INFO("reached, but not in the list: " << name);
    CHECK(known.count(name) == 1);
  }
}
