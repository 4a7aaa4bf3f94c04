#include "pipeline/measure/suite_case.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::suite_case_test {

using namespace tbci::test;

TEST_CASE("Suite as a case: it fails where its worker does not build, and where it alone cannot be listed",
          "[listing]") {
  const TemporaryDirectory folder;
  FakeMachine machine(4);
  Bench bench(folder.path(), machine);
  const auto native = pipeline::case_of_suite(""), torchbench = pipeline::case_of_suite("torchbench.");
  CHECK(pipeline::is_suite(native));
  CHECK(torchbench.benchmark == "torchbench.*");
  CHECK_FALSE(pipeline::is_suite({"dlrm", model::Configuration::cpu_infer}));
  model::Build build;
  build.product.commit = machine.history[1].id;
  CHECK(pipeline::try_to_list(bench.context(), build, native)->outcome == model::Outcome::done);
  machine.left_out = {{"torchbench.", "no module named torchbenchmark"}};
  CHECK(pipeline::try_to_list(bench.context(), build, native)->outcome == model::Outcome::done);
  const auto lost = pipeline::try_to_list(bench.context(), build, torchbench);
  REQUIRE(lost);
  CHECK(lost->outcome == model::Outcome::exception);
  CHECK(lost->message == "no module named torchbenchmark");
  machine.unlistable_from = 1;
  CHECK(pipeline::try_to_list(bench.context(), build, native)->outcome == model::Outcome::exception);
}

}  // namespace tbci::suite_case_test
