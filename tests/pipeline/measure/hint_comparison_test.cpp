#include "pipeline/measure/hint_comparison.hpp"

#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::hint_comparison_test {

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
  const auto compared = pipeline::compare_hints(bench.context(), builds, {"beta", model::Configuration::cpu_infer});
  REQUIRE(compared);
  CHECK(compared->recordings == 3);
  CHECK(compared->after.measured.benchmark == "beta");
  return compared->added;
}

}  // namespace

TEST_CASE("Hint comparison: what is new is added, as far as it grew", "[pipeline]") {
  const auto found = added(1000, 4000);
  REQUIRE(found.size() == 1);
  CHECK(found[0].hint.kind == detect::HintKind::same_copy);
  CHECK(found[0].hint.gain == Approx(0.03));
  CHECK(found[0].calls_before == 1);
}

TEST_CASE("Hint comparison: what lay just below the least gain and is just above it was not added", "[pipeline]") {
  CHECK(added(900, 1100).empty());
  CHECK(added(0, 900).empty());
  CHECK(added(4000, 1000).empty());
}

}  // namespace tbci::hint_comparison_test
