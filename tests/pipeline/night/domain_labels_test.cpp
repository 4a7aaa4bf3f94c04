#include "pipeline/night/domain_labels.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::domain_labels_test {

using namespace tbci::test;

namespace {

/// beta is slower from night 12 on; the domain of all models is `tests`.
std::vector<std::string> labels_of_report(const std::map<std::string, std::vector<std::string>>& wanted) {
  Nights nights(13);
  nights.machine.slower["beta"] = {{12 * commits_a_day - 1, 1.25}};
  nights.bench->config().report.github.domain_labels = wanted;
  nights.check_all(1, 11);
  const auto result = nights.check(12);
  REQUIRE(result.reports.size() == 1);
  return result.reports[0].labels;
}

}  // namespace

TEST_CASE("Domain labels: a report has those of its models' domains, each once", "[nights]") {
  CHECK(labels_of_report({}) == std::vector<std::string>{"tbci", "performance"});
  CHECK(labels_of_report({{"nlp", {"module: nlp"}}, {"tests", {"slow", "module: tests", "slow"}}}) ==
        std::vector<std::string>{"tbci", "performance", "slow", "module: tests"});
}

}  // namespace tbci::domain_labels_test
