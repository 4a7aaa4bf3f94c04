#include "pipeline/measure/benchmark_list.hpp"

#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::benchmark_list_test {

using namespace tbci::test;

using namespace tbci::pipeline;

namespace {

struct Listed {
  TemporaryDirectory state;
  FakeMachine machine{2};
  Bench bench{state.path(), machine};
};

}  // namespace

TEST_CASE("Benchmark list: a broken suite is reported, and the others are measured", "[listing]") {
  Listed at;
  at.machine.left_out = {{"torchbench.", "this Python has no torch"}};
  const auto cases = wanted_cases(at.bench.context(), {});
  REQUIRE(cases);
  CHECK_FALSE(cases->empty());
  CHECK(at.bench.notes() == std::vector<std::string>{"torchbench.* is left out: this Python has no torch"});
}

TEST_CASE("Benchmark list: the error for a benchmark of a broken suite says why it is not there", "[listing]") {
  Listed at;
  at.machine.left_out = {{"torchbench.", "this Python has no torch"}};
  at.bench.config().measure.benchmarks = {"alpha", "torchbench.resnet18"};
  const auto broken = wanted_cases(at.bench.context(), {});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::usage);
  CHECK(broken.error().message ==
        "'torchbench.resnet18' cannot be measured: torchbench.* could not be listed: this Python has no torch");
  at.bench.config().measure.benchmarks = {"alpah"};
  const auto typo = wanted_cases(at.bench.context(), {});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().message.find("did you mean 'alpha'") != std::string::npos);
}

TEST_CASE("Benchmark list: a wrong name is an error before anything is built, where a build is there to ask",
          "[listing]") {
  Listed at;
  CHECK(check_names_early(at.bench.context(), {"alpah"}));  // nobody knows yet
  REQUIRE(build_commit(at.bench.context(), at.machine.history.front().id));
  const std::size_t built = at.machine.effects.size();
  CHECK(check_names_early(at.bench.context(), {"alpha", "beta"}));
  CHECK(check_names_early(at.bench.context(), {}));
  const auto typo = check_names_early(at.bench.context(), {"alpha", "alpah"});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().kind == ErrorKind::usage);
  CHECK(typo.error().message.find("did you mean 'alpha'") != std::string::npos);
  CHECK(at.machine.effects.size() == built);
  at.machine.left_out = {{"torchbench.", "this Python has no torch"}};  // that of the end may have one
  CHECK(check_names_early(at.bench.context(), {"torchbench.resnet18"}));
}

}  // namespace tbci::benchmark_list_test
