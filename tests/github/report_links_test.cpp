// What channels get beside a report's text: labels, the rest, the address of a pull request. Belongs to report.
#include "github/report.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::report_links_test {

using namespace tbci::github;
using namespace tbci::test;

TEST_CASE("Report: what has room needs none of the rest, and labels of the facts come behind tbci's own", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.labels = {"module: nlp", "oncall: perf"};
  const model::Report report = make_report(facts);
  CHECK(report.rest.empty());
  CHECK(report.body.find("The rest is below") == std::string::npos);
  CHECK(report.labels == std::vector<std::string>{"tbci", "performance", "module: nlp", "oncall: perf"});
}

TEST_CASE("Report: has the address of the one culprit's pull request", "[github]") {
  ReportFacts facts = culprit_facts();
  REQUIRE(facts.suspects.size() == 1);
  facts.web = "https://github.com/octo/demo/";
  facts.origins = {{.commit = facts.suspects.front().id, .pull_request = 47}};
  CHECK(make_report(facts).pull_request == "https://github.com/octo/demo/pull/47");
  facts.suspects.push_back(commit(std::string(40, 'b'), "B", "b"));
  CHECK(make_report(facts).pull_request.empty());
  facts.suspects.pop_back();
  facts.web = "javascript:x";
  CHECK(make_report(facts).pull_request.empty());
}

}  // namespace tbci::report_links_test
