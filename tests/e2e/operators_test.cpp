// A slow kernel of a real build, found by name: the miniature replaces kernels of LibTorch.
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::operators_test {

using namespace tbci::test;

TEST_CASE("End to end: the operator that a fault slows is the one that changed most, and no profile is taken twice",
          "[e2e]") {
  // Many times the fault of the demo: the verdict is other tests' business, and other tests run beside this one.
  const Installation installation({"--fault", "embedding-bag-bounds@40*20"});
  const std::vector<std::string> compare = {"compare",
                                            installation.truth().nightly(1),
                                            installation.truth().nightly(2),
                                            "--operators",
                                            "--explain",
                                            "--benchmarks",
                                            "dlrm",
                                            "--configurations",
                                            "cpu-infer",
                                            "--json"};
  const Answer answer = installation.tbci(compare);
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 1);
  const nlohmann::json compared = answer.json()["operators"];
  REQUIRE(compared.size() == 1);
  CHECK(compared[0]["benchmark"] == "dlrm");
  CHECK(compared[0]["after_nanoseconds"] > compared[0]["before_nanoseconds"]);
  REQUIRE_FALSE(compared[0]["operators"].empty());
  const nlohmann::json worst = compared[0]["operators"][0];
  CHECK(worst["name"].get<std::string>().find("embedding_bag") != std::string::npos);
  CHECK(worst["after_nanoseconds"] > worst["before_nanoseconds"]);
  CHECK(worst["calls_before"] == worst["calls_after"]);

  const nlohmann::json steps = answer.json()["steps"];
  REQUIRE(steps.size() == 1);
  INFO(steps[0].dump(2));
  CHECK(steps[0]["cause"]["kind"] == "kernel");
  CHECK(steps[0]["cause"]["operator"].get<std::string>().find("embedding_bag") != std::string::npos);

  const Answer again = installation.tbci(compare);
  REQUIRE(again.exit_code == 1);
  CHECK(again.json()["operators"] == compared);  // measured again, not profiled
}

}  // namespace tbci::operators_test
