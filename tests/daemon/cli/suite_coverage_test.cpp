#include "daemon/cli/suite_coverage.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::suite_coverage_test {

namespace {

runner::Coverage of_two() {
  return runner::coverage_of({
      {.benchmark = "resnet50",
       .domain = "computer vision",
       .train = true,
       .calls = {{{"aten.mm.default", 2}}, {"aten.mm.default", "aten.linear.default"}}},
      {.benchmark = "gcn",
       .domain = "other",
       .train = false,
       .calls = {{{"aten.mm.default", 1}, {"aten.gather.default", 1}}, {"aten.mm.default", "aten.gather.default"}}},
  });
}

}  // namespace

TEST_CASE("suite coverage: the JSON counts the operators of all, of train and of infer", "[daemon]") {
  const auto json = daemon::coverage_json(of_two());
  CHECK(json["operators"]["all"] == 3);
  CHECK(json["operators"]["train"] == 2);
  CHECK(json["operators"]["infer"] == 2);
  CHECK(json["operators"]["mlperf"] == 2);
  CHECK(json["operators"]["by_domain"]["other"]["all"] == 2);
  CHECK(json["below_autograd"]["all"] == 2);
  CHECK(json["by_one_alone"]["aten.gather.default"] == "gcn");
}

TEST_CASE("suite coverage: the text compares with the MLPerf-like subset", "[daemon]") {
  const std::string text = daemon::coverage_text(of_two());
  CHECK(text.find("reaches 2 at any depth, 1 below autograd: the suite 1.50 and 2.00 times as many") !=
        std::string::npos);
  CHECK(text.find("  gcn: aten.gather.default\n") != std::string::npos);
}

}  // namespace tbci::suite_coverage_test
