#include "runner/coverage.hpp"

#include "tests/catch.hpp"

namespace tbci::coverage_test {

namespace {

runner::Reached reached(const std::string& benchmark, const std::string& domain, bool train,
                        const std::set<std::string>& names) {
  runner::OperatorCalls calls{.below_autograd = {}, .at_any_depth = names};
  for (const std::string& name : names) {
    if (name != "aten.conv2d.default") calls.below_autograd[name] = 1;
  }
  return {benchmark, domain, train, calls};
}

}  // namespace

TEST_CASE("Coverage: counts each operator once per overload, mode and domain", "[runner]") {
  const auto coverage = runner::coverage_of({
      reached("resnet50", "vision", false, {"aten.conv2d.default", "aten.add.Tensor"}),
      reached("resnet50", "vision", true, {"aten.conv2d.default", "aten.add.Tensor", "aten.add.Scalar"}),
      reached("gcn", "other", false, {"aten.gather.default", "aten.add.Tensor", "quantized.add.default"}),
  });
  CHECK(coverage.at_any_depth.all.size() == 4);
  CHECK(coverage.at_any_depth.train.size() == 3);
  CHECK(coverage.at_any_depth.infer.size() == 3);
  CHECK(coverage.below_autograd.all.size() == 3);
  CHECK(coverage.names() == std::set<std::string>{"aten.add", "aten.conv2d", "aten.gather"});
  CHECK(coverage.by_domain.at("other").all.size() == 2);
  CHECK(coverage.mlperf.size() == 3);
  CHECK(coverage.mlperf_below_autograd.size() == 2);
  CHECK(coverage.by_one_alone.at("aten.gather.default") == "gcn");
  CHECK(coverage.by_one_alone.count("aten.add.Tensor") == 0);
  CHECK(coverage.of_other_libraries == std::set<std::string>{"quantized.add.default"});
}

TEST_CASE("Coverage: reads the worker's output and passes on its error line", "[runner]") {
  const auto parsed = runner::parse_operators(
      "{\"type\":\"hello\"}\n{\"type\":\"operators\",\"below_autograd\":{\"aten.mm.default\":3},\"at_any_depth\":"
      "[\"aten.mm.default\",\"aten.linear.default\"]}\n{\"type\":\"done\"}\n");
  REQUIRE(parsed);
  CHECK(parsed->below_autograd.at("aten.mm.default") == 3);
  CHECK(parsed->at_any_depth.size() == 2);
  const auto refused = runner::parse_operators(R"({"type":"error","kind":"unsupported","message":"no CUDA"})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "unsupported: no CUDA");
  for (const char* bad : {"", "nonsense", R"({"type":"operators"})",
                          R"({"type":"operators","below_autograd":{"<b>":1},"at_any_depth":[]})",
                          R"({"type":"operators","below_autograd":{"aten.mm.default":-1},"at_any_depth":[]})"}) {
    INFO(bad);
    CHECK_FALSE(runner::parse_operators(bad));
  }
}

}  // namespace tbci::coverage_test
