#include "pipeline/measure/comparing.hpp"

#include <algorithm>

#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::comparing_test {

using namespace tbci::test;

using model::Metric;
using model::Verdict;

namespace {

// From commit 1 on alpha is slower and beta crashes.
struct Compared : FakeRange {
  Compared() : FakeRange(2) {
    machine.slower["alpha"] = {{1, 1.25}};
    machine.broken["beta"] = model::Outcome::crashed;
    machine.broken_from = 1;
  }

  std::vector<model::Finding> findings(const std::vector<Metric>& metrics) {
    pipeline::SubjectContext& context = bench.context();
    pipeline::ComparisonPlan plan{.key = "by hand", .builds = {}, .cases = {}};
    plan.builds.before = pipeline::build_commit(context, commit(0)).value();
    plan.builds.after = pipeline::build_commit(context, commit(1)).value();
    plan.cases = pipeline::wanted_cases(context, plan.builds.after.product).value();
    return pipeline::compare_builds(context, plan, metrics).value();
  }
};

std::vector<std::string> regressions_among(const std::vector<model::Finding>& findings) {
  std::vector<std::string> names;
  for (const model::Finding& finding : findings) {
    if (finding.verdict == Verdict::regression) names.push_back(to_string(finding.series));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("compare_builds: says of each series whether it changed, and which case broke", "[confirm]") {
  const auto findings = Compared().findings({});
  CHECK(regressions_among(findings) == std::vector<std::string>{"alpha/cpu-infer/time", "beta/cpu-infer/outcome"});
  CHECK(std::ranges::any_of(findings, [](const auto& one) { return one.verdict == Verdict::clear; }));
  CHECK(std::ranges::none_of(findings, [](const auto& one) { return one.verdict == Verdict::suspect; }));
}

TEST_CASE("compare_builds: judges the metrics that it is asked for alone", "[confirm]") {
  const auto times = Compared().findings({Metric::time});
  CHECK(regressions_among(times) == std::vector<std::string>{"alpha/cpu-infer/time"});
  CHECK(std::ranges::all_of(times, [](const auto& one) { return one.series.metric == Metric::time; }));
  CHECK(regressions_among(Compared().findings({Metric::outcome})) ==
        std::vector<std::string>{"beta/cpu-infer/outcome"});
}

}  // namespace tbci::comparing_test
