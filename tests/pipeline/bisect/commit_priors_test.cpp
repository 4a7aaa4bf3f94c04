#include "pipeline/bisect/commit_priors.hpp"

#include <algorithm>

#include "pipeline/bisect/bisecting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::commit_priors_test {

using namespace tbci::test;

namespace {

const model::Series beta = {"beta", model::Configuration::cpu_infer, model::Metric::time};

/// 70 commits that touch files of their own; beta's matrix products get slower at commit 42.
FakeMachine day() {
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.3}};
  for (std::size_t at = 0; at < machine.history.size(); ++at)
    machine.touched.push_back({fmt::format("src{}/file.cpp", at)});
  machine.sources = {{"aten.mm.default", {"src42/file.cpp"}}};
  return machine;
}

pipeline::SearchPlan plan_of(const FakeMachine& machine) {
  return {.key = "by hand", .from = machine.history.front().id, .to = machine.history.back().id, .series = {beta}};
}

std::size_t count(const FakeMachine& machine, const std::string& begin) {
  return static_cast<std::size_t>(std::count_if(machine.effects.begin(), machine.effects.end(),
                                                [&](const std::string& effect) { return effect.starts_with(begin); }));
}

}  // namespace

TEST_CASE("Commit priors: the commit that touches a slower operator is built early, and the answer says why",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = day();
  Bench bench(folder.path(), machine);
  const auto found = pipeline::bisect_range(bench.context(), plan_of(machine));
  REQUIRE(found);
  REQUIRE(found->answers.size() == 1);
  CHECK(found->answers[0].suspects == std::vector{machine.history[42].id});
  REQUIRE(found->answers[0].steps.size() == 1);
  const model::FoundStep& step = found->answers[0].steps[0];
  CHECK(step.prior == test::Approx(50.0 / (50 + 69)).epsilon(0.001));
  CHECK(step.prior_reason == "touches src42/file.cpp, a source of aten.mm.default, which brings 100% of the slowdown");
  CHECK(count(machine, "profile ") == 2 * pipeline::weighing_processes);

  const TemporaryDirectory other;
  FakeMachine again = day();
  Bench blind(other.path(), again);
  blind.config().bisect.priors = settings::Priors::none;
  const auto slower = pipeline::bisect_range(blind.context(), plan_of(again));
  REQUIRE(slower);
  CHECK(slower->answers[0].suspects == found->answers[0].suspects);
  CHECK(slower->answers[0].steps[0].prior == 0);
  CHECK(count(again, "profile ") == 0);
  CHECK(count(machine, "build ") < count(again, "build "));
}

TEST_CASE("Commit priors: what was weighed once is kept", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = day();
  model::Bisection bisection;
  {
    Bench bench(folder.path(), machine);
    const auto plan = plan_of(machine);
    bisection = bench.stores()
                    .bisections
                    .begin({.subject = "fake", .key = "k", .from = plan.from, .to = plan.to, .series = plan.series},
                           bench.context().clock.now())
                    .value();
    REQUIRE(pipeline::commit_priors(bench.context(), bisection, machine.history));
  }
  machine.sources.clear();
  machine.effects.clear();
  Bench bench(folder.path(), machine);
  const auto priors = pipeline::commit_priors(bench.context(), bisection, machine.history);
  REQUIRE(priors);
  CHECK(priors->at(beta)[42].weight == 50);
  CHECK(machine.effects.empty());
}

TEST_CASE("Commit priors: where nothing can be profiled the paths speak, and where nothing is known all are alike",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = day();
  machine.profiles = false;
  Bench bench(folder.path(), machine);
  bench.config().subjects.front().source.likely = {{"src7/", 5}};
  const auto found = pipeline::bisect_range(bench.context(), plan_of(machine));
  REQUIRE(found);
  CHECK(found->answers[0].suspects == std::vector{machine.history[42].id});
  CHECK(found->answers[0].steps[0].prior == test::Approx(1.0 / 74));
  CHECK(found->answers[0].steps[0].prior_reason == "touches no likely path");

  const TemporaryDirectory other;
  FakeMachine unknown = day();
  unknown.touched.clear();
  Bench second(other.path(), unknown);
  const auto blind = pipeline::bisect_range(second.context(), plan_of(unknown));
  REQUIRE(blind);
  CHECK(blind->answers[0].steps[0].prior == 0);
  CHECK(count(unknown, "profile ") == 0);
}

TEST_CASE("Commit priors: a plan weighs paths without building anything", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = day();
  Bench bench(folder.path(), machine);
  bench.config().subjects.front().source.likely = {{"src7/", 5}};
  const auto priors = pipeline::path_priors(bench.context(), machine.history);
  REQUIRE(priors);
  REQUIRE(priors->size() == 71);
  CHECK(priors->at(7).weight == 5);
  CHECK(priors->at(7).reason == "touches src7/file.cpp");
  CHECK(machine.effects.empty());
}

}  // namespace tbci::commit_priors_test
