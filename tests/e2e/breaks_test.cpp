// Cases that stop working, of the real worker: an exception, and a signal.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::breaks_test {

using namespace tbci::test;

namespace {

using Suspects = std::vector<std::string>;

std::map<std::string, Suspects> suspects_by_series(const nlohmann::json& check) {
  std::map<std::string, Suspects> all;
  for (const auto& regression : check["regressions"])
    all[regression["series"].get<std::string>()] = regression["suspects"].get<Suspects>();
  return all;
}

bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("End to end: cases that stop working are reported with their first error and their culprit", "[e2e]") {
  Installation installation({"--commits", "30", "--fault", "embedding-bag-refusal@11", "--fault", "tanh-crash@23"});
  installation.configure(measuring({"dlrm", "lennard_jones"}));
  const Answer check = installation.tbci({"check", "--json"});
  INFO(check.error << check.output);
  REQUIRE(check.exit_code == 1);
  const std::map<std::string, Suspects> wanted = {
      {"dlrm/cpu-infer/outcome", installation.truth().suspects(0)},
      {"lennard_jones/cpu-infer/outcome", installation.truth().suspects(1)}};
  CHECK(suspects_by_series(check.json()) == wanted);
  const std::vector<std::string> issues = installation.issues();
  CHECK(issues.size() == 2);
  CHECK(any_has(issues, "embedding_bag: the table shares a page"));
  CHECK(any_has(issues, "SIGSEGV"));

  // By hand, of what the night built: the same answer.
  const Answer bisect =
      installation.tbci({"bisect", "--from", installation.truth().nightly(1), "--to", installation.truth().nightly(2),
                         "--series", "dlrm/cpu-infer/outcome", "--json"});
  INFO(bisect.error << bisect.output);
  REQUIRE(bisect.exit_code == 1);
  REQUIRE(bisect.json()["culprits"].size() == 1);
  CHECK(Suspects{bisect.json()["culprits"][0]["commit"]} == installation.truth().suspects(0));
}

}  // namespace tbci::breaks_test
