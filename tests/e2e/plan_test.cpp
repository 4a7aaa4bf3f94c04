// The plan of a bisection, of a real repository: nothing is built for it.
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::plan_test {

using namespace tbci::test;

TEST_CASE("End to end: a plan has every commit with its build, its request and its share of the prior", "[e2e]") {
  const Installation installation;
  const std::string from = installation.truth().commit_of_day(1), to = installation.truth().commit_of_day(2);
  const Answer answer = installation.tbci({"bisect", "--from", from, "--to", to, "--dry-run", "--json"});
  INFO(answer.error);
  REQUIRE(answer.exit_code == 0);
  const nlohmann::json plan = answer.json();
  CHECK(plan["from"] == from);
  CHECK(plan["to"] == to);
  CHECK(plan.count("expected_seconds") == 0);  // nothing was built yet
  std::size_t commits = 0, weighed = 0;
  double shares = 0;
  for (const nlohmann::json& one : plan["classes"]) {
    for (const nlohmann::json& commit : one) {
      ++commits;
      CHECK(commit["pull_request"].get<int>() > 100);
      if (commit.count("prior") == 0) continue;
      ++weighed;
      shares += commit["prior"].get<double>();
    }
  }
  CHECK(commits == plan["commits"].get<std::size_t>() + 1);
  CHECK(weighed == plan["classes"].size() - 1);  // the good end is not a culprit, nor is what is not compiled
  CHECK(shares == test::Approx(1));
  CHECK_FALSE(std::filesystem::exists(installation.state() / "subjects/demo/products"));

  const Answer text = installation.tbci({"bisect", "--from", from, "--to", to, "--dry-run"});
  REQUIRE(text.exit_code == 0);
  CHECK(text.output.find("the time for one is unknown") != std::string::npos);
  CHECK(text.output.find("A search also profiles both ends.") != std::string::npos);
}

}  // namespace tbci::plan_test
