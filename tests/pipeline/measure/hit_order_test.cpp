#include "pipeline/measure/hit_order.hpp"

#include <algorithm>

#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/comparing.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::hit_order_test {

using namespace tbci::test;

namespace {

model::Case infers(const std::string& benchmark) {
  return {benchmark, model::Configuration::cpu_infer};
}

// From commit 1 on the products of alpha take longer.
struct Ordered : FakeRange {
  Ordered() : FakeRange(2) {
    machine.slower["alpha"] = {{1, 1.3}};
    machine.products_of = {{"beta", 0.1}, {"delta", 0.8}};
  }
  pipeline::Comparison builds() {
    return {pipeline::build_commit(bench.context(), commit(0)).value(),
            pipeline::build_commit(bench.context(), commit(1)).value()};
  }
  std::vector<model::Case> order(std::optional<TimePoint> until = {}) {
    return pipeline::by_expected_hit(bench.context(), builds(), infers("alpha"),
                                     {infers("beta"), infers("gamma"), infers("delta")}, until)
        .value();
  }
};

}  // namespace

TEST_CASE("Hit order: what calls the slower operator for longest comes first", "[pipeline]") {
  Ordered ordered;
  CHECK(ordered.order() == std::vector<model::Case>{infers("delta"), infers("gamma"), infers("beta")});
}

TEST_CASE("Hit order: without a changed operator, or without profiles, the order stays", "[pipeline]") {
  const std::vector<model::Case> as_it_was = {infers("beta"), infers("gamma"), infers("delta")};
  Ordered same;
  same.machine.slower.clear();
  CHECK(same.order() == as_it_was);
  CHECK(std::ranges::count_if(same.machine.effects, [](const auto& one) { return one.starts_with("profile "); }) == 4);
  Ordered none;
  none.machine.profiles = false;
  CHECK(none.order() == as_it_was);
}

TEST_CASE("Hit order: no profile is taken once the time is over", "[pipeline]") {
  Ordered ordered;
  const auto now = ordered.bench.context().clock.now();
  CHECK(ordered.order(now) == std::vector<model::Case>{infers("beta"), infers("gamma"), infers("delta")});
  CHECK(ordered.order(now + std::chrono::hours(24)).front() == infers("delta"));
}

TEST_CASE("Hit order: cases are confirmed in it, once a first one is", "[confirm]") {
  Ordered ordered;
  FakeMachine& machine = ordered.machine;
  machine.suite = {"alpha", "beta", "gamma", "delta"};
  machine.slower = {{"alpha", {{1, 1.4}}}, {"beta", {{1, 1.3}}}, {"gamma", {{1, 1.25}}}, {"delta", {{1, 1.2}}}};
  pipeline::SubjectContext& context = ordered.bench.context();
  pipeline::ComparisonPlan plan{.key = "by hand", .builds = ordered.builds(), .cases = {}};
  plan.cases = pipeline::wanted_cases(context, plan.builds.after.product).value();
  std::erase_if(plan.cases, [](const model::Case& one) { return model::is_on_gpu(one.configuration); });
  const auto findings = pipeline::compare_builds(context, plan, std::vector{model::Metric::time}).value();
  CHECK(std::ranges::count(findings, model::Verdict::regression, &model::Finding::verdict) == 4);
  const std::vector<std::string>& effects = machine.effects;
  const auto profiled = std::ranges::find_if(effects, [](const auto& one) { return one.starts_with("profile "); });
  REQUIRE(profiled != effects.end());
  CHECK(std::count_if(profiled, effects.end(), [](const auto& one) { return one.starts_with("profile "); }) == 4 + 3);
  std::vector<std::string> then;
  for (auto at = profiled; at != effects.end(); ++at) {
    const std::string name = at->substr(at->rfind(' ') + 1);
    if (!at->starts_with("profile ") && std::ranges::find(then, name) == then.end()) then.push_back(name);
  }
  CHECK(then == std::vector<std::string>{"delta/cpu-infer", "gamma/cpu-infer", "beta/cpu-infer"});
}

}  // namespace tbci::hit_order_test
