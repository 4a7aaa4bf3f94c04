#include "bisect/prior.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tbci::prior_test {

using bisect::CommitPrior;
using bisect::LikelyPath;
using bisect::most_prior_ratio;
using bisect::OperatorSources;
using bisect::prior_of;
using bisect::SlowerOperator;
using bisect::Touched;

namespace {

const OperatorSources sources = {{"aten::embedding_bag", {"aten/native/EmbeddingBag.cpp"}},
                                 {"aten::mm", {"aten/native/LinearAlgebra.cpp", "third_party/gemm/"}}};
const std::vector<LikelyPath> no_rules;

std::vector<CommitPrior> priors(const std::vector<Touched>& commits, const std::vector<SlowerOperator>& slower,
                                const std::vector<LikelyPath>& likely = no_rules) {
  return prior_of({.commits = commits, .slower = slower, .sources = &sources, .likely = likely});
}

}  // namespace

TEST_CASE("Prior: a commit that touches a source of a slower operator is the likeliest, with its reason", "[bisect]") {
  const auto found =
      priors({{{"docs/readme.md"}}, {{"docs/x.md", "aten/native/EmbeddingBag.cpp"}}, {{"aten/native/Sort.cpp"}}},
             {{"aten::embedding_bag", 3}, {"aten::mm", 1}});
  REQUIRE(found.size() == 3);
  CHECK(found[0].weight == 1);
  CHECK(found[0].reason == "touches no likely path");
  CHECK(found[1].weight == test::Approx(1 + 0.75 * 49));
  CHECK(found[1].reason ==
        "touches aten/native/EmbeddingBag.cpp, a source of aten::embedding_bag, which brings 75% of the slowdown");
  CHECK(found[2].weight == test::Approx(1 + 0.75 * 7));
  CHECK(found[2].reason.find("in the folder of aten::embedding_bag") != std::string::npos);
}

TEST_CASE("Prior: a folder as a source stands for all its files", "[bisect]") {
  const auto found = priors({{{"third_party/gemm/kernels/avx.cpp"}}, {{"third_party/other.cpp"}}}, {{"aten::mm", 1}});
  CHECK(found[0].weight == test::Approx(most_prior_ratio));
  CHECK(found[1].weight == 1);
}

TEST_CASE("Prior: without slower operators the longest matching path rule decides", "[bisect]") {
  const std::vector<LikelyPath> likely = {{"aten/", 4}, {"aten/native/", 10}, {"test/", 0.5}};
  const auto found =
      priors({{{"aten/core/x.h"}}, {{"aten/native/x.cpp", "test/x.py"}}, {{"test/x.py"}}, {{"other"}}, {}}, {}, likely);
  CHECK(found[0].weight == 4);
  CHECK(found[1].weight == 10);
  CHECK(found[1].reason == "touches aten/native/x.cpp");
  CHECK(found[2].weight == 0.5);
  CHECK(found[3].weight == 1);
  CHECK(found[4].weight == 1);
  CHECK(found[4].reason == "the paths that it touches are not known");
}

TEST_CASE("Prior: no weight is zero, or below another by more than the ratio", "[bisect]") {
  const std::vector<LikelyPath> likely = {{"a/", 1000}, {"b/", 1e-9}};
  const auto found = priors({{{"a/x"}}, {{"b/x"}}, {{"c"}}}, {}, likely);
  for (const CommitPrior& one : found) {
    CHECK(one.weight > 0);
    CHECK(found[0].weight / one.weight <= most_prior_ratio * 1.000001);
  }
}

TEST_CASE("Prior: an operator without sources, or one that is not slower, changes no weight", "[bisect]") {
  const auto found =
      priors({{{"aten/native/EmbeddingBag.cpp"}}, {{"x"}}}, {{"aten::unknown", 5}, {"aten::embedding_bag", 0}});
  CHECK(found[0].weight == found[1].weight);
}

TEST_CASE("Prior: without commits there are no priors", "[bisect]") {
  CHECK(priors({}, {{"aten::mm", 1}}).empty());
}

}  // namespace tbci::prior_test
