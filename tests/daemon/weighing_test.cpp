#include "daemon/pipeline/weighing.hpp"

#include <algorithm>

#include "daemon/pipeline/bisecting.hpp"
#include "tests/catch.hpp"
#include "tests/daemon/bench.hpp"

namespace tbci::test {

namespace {

const model::Series beta = {"beta", model::Configuration::cpu_infer, model::Metric::time};

/// 70 commits that touch files of their own; beta's matrix products get slower at commit 42.
FakeWorkshop day() {
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.3}};
  for (std::size_t at = 0; at < workshop.history.size(); ++at)
    workshop.touched.push_back({fmt::format("src{}/file.cpp", at)});
  workshop.sources = {{"aten.mm.default", {"src42/file.cpp"}}};
  return workshop;
}

daemon::SearchPlan plan_of(const FakeWorkshop& workshop) {
  return {.key = "by hand", .from = workshop.history.front().id, .to = workshop.history.back().id, .series = {beta}};
}

std::size_t count(const FakeWorkshop& workshop, const std::string& begin) {
  return static_cast<std::size_t>(std::count_if(workshop.effects.begin(), workshop.effects.end(),
                                                [&](const std::string& effect) { return effect.starts_with(begin); }));
}

}  // namespace

TEST_CASE("Weighing: the commit that touches a slower operator is built early, and the answer says why", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop = day();
  Bench bench(folder.path(), workshop);
  const auto found = daemon::search_culprits(bench.desk(), plan_of(workshop));
  REQUIRE(found);
  REQUIRE(found->answers.size() == 1);
  CHECK(found->answers[0].suspects == std::vector{workshop.history[42].id});
  REQUIRE(found->answers[0].steps.size() == 1);
  const model::FoundStep& step = found->answers[0].steps[0];
  CHECK(step.prior == test::Approx(50.0 / (50 + 69)).epsilon(0.001));
  CHECK(step.prior_reason == "touches src42/file.cpp, a source of aten.mm.default, which brings 100% of the slowdown");
  CHECK(count(workshop, "profile ") == 2 * daemon::weighing_processes);

  const TemporaryDirectory other;
  FakeWorkshop again = day();
  Bench blind(other.path(), again);
  blind.config().bisect.priors = daemon::Priors::none;
  const auto slower = daemon::search_culprits(blind.desk(), plan_of(again));
  REQUIRE(slower);
  CHECK(slower->answers[0].suspects == found->answers[0].suspects);
  CHECK(slower->answers[0].steps[0].prior == 0);
  CHECK(count(again, "profile ") == 0);
  CHECK(count(workshop, "build ") < count(again, "build "));
}

TEST_CASE("Weighing: what was weighed once is kept", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop = day();
  model::Bisection bisection;
  {
    Bench bench(folder.path(), workshop);
    const auto plan = plan_of(workshop);
    bisection = bench.stores()
                    .bisections
                    .begin({.subject = "fake", .key = "k", .from = plan.from, .to = plan.to, .series = plan.series},
                           bench.desk().clock.now())
                    .value();
    REQUIRE(daemon::weigh_commits(bench.desk(), bisection, workshop.history));
  }
  workshop.sources.clear();
  workshop.effects.clear();
  Bench bench(folder.path(), workshop);
  const auto priors = daemon::weigh_commits(bench.desk(), bisection, workshop.history);
  REQUIRE(priors);
  CHECK(priors->at(beta)[42].weight == 50);
  CHECK(workshop.effects.empty());
}

TEST_CASE("Weighing: where nothing can be profiled the paths speak, and where nothing is known all are alike",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop = day();
  workshop.profiles = false;
  Bench bench(folder.path(), workshop);
  bench.config().subjects.front().subject.source.likely = {{"src7/", 5}};
  const auto found = daemon::search_culprits(bench.desk(), plan_of(workshop));
  REQUIRE(found);
  CHECK(found->answers[0].suspects == std::vector{workshop.history[42].id});
  CHECK(found->answers[0].steps[0].prior == test::Approx(1.0 / 74));
  CHECK(found->answers[0].steps[0].prior_reason == "touches nothing that points at it");

  const TemporaryDirectory other;
  FakeWorkshop unknown = day();
  unknown.touched.clear();
  Bench second(other.path(), unknown);
  const auto blind = daemon::search_culprits(second.desk(), plan_of(unknown));
  REQUIRE(blind);
  CHECK(blind->answers[0].steps[0].prior == 0);
  CHECK(count(unknown, "profile ") == 0);
}

TEST_CASE("Weighing: a plan weighs paths without building anything", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop = day();
  Bench bench(folder.path(), workshop);
  bench.config().subjects.front().subject.source.likely = {{"src7/", 5}};
  const auto priors = daemon::weigh_paths(bench.desk(), workshop.history);
  REQUIRE(priors);
  REQUIRE(priors->size() == 71);
  CHECK(priors->at(7).weight == 5);
  CHECK(priors->at(7).reason == "touches src7/file.cpp");
  CHECK(workshop.effects.empty());
}

}  // namespace tbci::test
