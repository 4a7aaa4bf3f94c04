#include "pipeline/measure/recorded_comparison.hpp"

#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::recorded_comparison_test {

using namespace tbci::test;

namespace {

// Two iterations of 100 us that convert the same weight, for N nanoseconds.
model::Timeline converting(std::int64_t nanoseconds) {
  made_timeline::MadeTimeline made;
  const auto weight = made.tensor(1, {500});
  for (int turn = 0; turn < 2; ++turn) {
    made.iteration(turn * 100000, 100000);
    made.call("aten.to.dtype", turn * 100000, nanoseconds, {weight}, {made.tensor(10 + turn, {500})});
  }
  return made.timeline();
}

std::vector<detect::AddedHint> added(std::int64_t before, std::int64_t after) {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.recorded = [=](std::size_t commit) { return converting(commit == 0 ? before : after); };
  Bench bench(folder.path(), machine);
  const pipeline::Comparison builds{pipeline::build_commit(bench.context(), machine.history.front().id).value(),
                                    pipeline::build_commit(bench.context(), machine.history.back().id).value()};
  const auto compared =
      pipeline::compare_recordings(bench.context(), builds, {"beta", model::Configuration::cpu_infer});
  REQUIRE(compared);
  CHECK(compared->recordings == 3);
  CHECK(compared->after.measured.benchmark == "beta");
  return compared->added;
}

// Two iterations that convert a weight for N nanoseconds and do nothing else for 80 us.
model::Timeline lasting(std::int64_t nanoseconds) {
  made_timeline::MadeTimeline made;
  for (int turn = 0; turn < 2; ++turn) {
    made.iteration(turn * 1000000, 80000 + nanoseconds);
    made.call("aten.to.dtype", turn * 1000000, nanoseconds);
  }
  return made.timeline();
}

model::Finding finding(model::Metric metric, model::Verdict verdict) {
  model::Finding one;
  one.series = {"beta", model::Configuration::cpu_infer, metric};
  one.verdict = verdict;
  return one;
}

Result<pipeline::ExplainedCases> explained(FakeMachine& machine, const std::vector<model::Finding>& findings) {
  const TemporaryDirectory folder;
  Bench bench(folder.path(), machine);
  const pipeline::Comparison builds{pipeline::build_commit(bench.context(), machine.history.front().id).value(),
                                    pipeline::build_commit(bench.context(), machine.history.back().id).value()};
  return pipeline::explain_steps(bench.context(), builds, findings);
}

}  // namespace

TEST_CASE("Recorded comparison: says what the step consists of, of times that changed alone", "[pipeline]") {
  FakeMachine machine(2);
  machine.recorded = [](std::size_t commit) { return lasting(commit == 0 ? 20000 : 50000); };
  const auto all = explained(machine, {finding(model::Metric::time, model::Verdict::regression),
                                       finding(model::Metric::cpu_memory, model::Verdict::regression),
                                       finding(model::Metric::time, model::Verdict::clear)});
  REQUIRE(all);
  CHECK(all->missing.empty());
  REQUIRE(all->steps.size() == 1);
  const model::StepSplit& step = all->steps.front();
  CHECK(step.measured == model::Case{"beta", model::Configuration::cpu_infer});
  CHECK(step.recordings == 3);
  CHECK(step.before == 100000);
  CHECK(step.after == 130000);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == model::CauseKind::kernel);
  CHECK(step.cause->name == "aten.to.dtype");
  CHECK(step.cause->nanoseconds == 30000);
  CHECK(step.rest == 0);
}

TEST_CASE("Recorded comparison: a cause that goes the other way than the confirmed change is none", "[pipeline]") {
  FakeMachine machine(2);
  machine.recorded = [](std::size_t commit) { return lasting(commit == 0 ? 50000 : 20000); };
  const auto cause = [&](model::Verdict verdict) {
    const auto all = explained(machine, {finding(model::Metric::time, verdict)});
    REQUIRE(all);
    REQUIRE(all->steps.size() == 1);
    return all->steps.front().cause;
  };
  CHECK_FALSE(cause(model::Verdict::regression));
  CHECK(cause(model::Verdict::improvement));
}

TEST_CASE("Recorded comparison: of a GPU, or where nothing can be recorded, a case is missing with its reason",
          "[pipeline]") {
  FakeMachine machine(2);
  const std::vector<model::Finding> slower = {finding(model::Metric::time, model::Verdict::regression)};
  auto all = explained(machine, slower);
  REQUIRE(all);
  CHECK(all->steps.empty());
  CHECK(all->missing.size() == 1);
  machine.recorded = [](std::size_t) {
    model::Timeline timeline = lasting(20000);
    timeline.on_gpu = true;
    return timeline;
  };
  all = explained(machine, slower);
  REQUIRE(all);
  REQUIRE(all->missing.size() == 1);
  CHECK(all->missing.begin()->second == "the step of a GPU is not taken apart");
}

TEST_CASE("Recorded comparison: what is new is added, as far as it grew", "[pipeline]") {
  const auto found = added(1000, 4000);
  REQUIRE(found.size() == 1);
  CHECK(found[0].hint.kind == detect::HintKind::same_copy);
  CHECK(found[0].hint.gain == Approx(0.03));
  CHECK(found[0].calls_before == 1);
}

TEST_CASE("Recorded comparison: what lay just below the least gain and is just above it was not added", "[pipeline]") {
  CHECK(added(900, 1100).empty());
  CHECK(added(0, 900).empty());
  CHECK(added(4000, 1000).empty());
}

}  // namespace tbci::recorded_comparison_test
