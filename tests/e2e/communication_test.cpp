// A model of several processes, measured by tbci: ranks, their CPUs, and a fault in what carries their messages.
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::communication_test {

using namespace tbci::test;

TEST_CASE("End to end: a fault in c10d is found and bisected, and the report says that communication got slower",
          "[e2e][long]") {
  Installation installation({"--commits", "8", "--all-build", "--fault", "all-to-all-checksum@5*5"});
  installation.configure(measuring({"dlrm_hybrid"}), "worker_families = [\"dlrm_hybrid\"]\n");
  const Answer checked = installation.tbci({"check", "--json"});
  INFO(checked.error << checked.output);
  CHECK(checked.exit_code == 1);
  const auto issues = installation.issues();
  REQUIRE(issues.size() == 1);
  INFO(issues[0]);
  const nlohmann::json regressions = checked.json()["regressions"];
  REQUIRE(regressions.size() == 1);
  CHECK(regressions[0]["series"] == "dlrm_hybrid/cpu-infer/time");
  CHECK(regressions[0]["suspects"].get<std::vector<std::string>>() == installation.truth().suspects());
  CHECK(issues[0].find("**communication**") != std::string::npos);
  CHECK(issues[0].find("alltoall") != std::string::npos);
}

}  // namespace tbci::communication_test
