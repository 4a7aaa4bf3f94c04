// Timelines that a worker records, as Measurer asks for them.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/runner/measure_bench.hpp"

namespace tbci::measure_timeline_test {

using namespace tbci::runner;
using model::Configuration;

TEST_CASE("Measurer: a variant is asked for in a timeline alone, and only where one is wanted", "[measure]") {
  std::vector<std::vector<std::string>> asked;
  test::ScriptedProcesses processes([&](const Command& command) {
    asked.push_back(command.arguments);
    ProcessOutcome ended;
    ended.exit_code = 2;
    return ended;
  });
  const SystemClock clock;
  Measurer measurer(processes, clock);
  const model::Case measured{"dlrm", Configuration::cpu_train};
  CHECK_FALSE(measurer.timeline({}, native_suite("worker"), measured, {}, "zeros-one-by-one", {}));
  CHECK_FALSE(measurer.timeline({}, native_suite("worker"), measured, {}, "", {}));
  (void)measurer.measure({}, native_suite("worker"), measured, {}, {});
  REQUIRE(asked.size() == 3);
  CHECK(asked[0][1] == "timeline");
  CHECK(std::vector(asked[0].end() - 2, asked[0].end()) == std::vector<std::string>{"--variant", "zeros-one-by-one"});
  for (const auto& words : {asked[1], asked[2]})
    CHECK(std::find(words.begin(), words.end(), "--variant") == words.end());
}

TEST_CASE("Measurer: a worker that records more iterations than it was asked for is refused", "[measure]") {
  const model::Case measured{"dlrm", Configuration::cpu_infer};
  for (const int iterations : {1, 2}) {
    test::MeasureBench bench;
    bench.settings.iterations = iterations;
    const auto worker = test::write_script(bench.folder / "worker", test::worker_lines::hello + R"(
echo '{"type":"names","names":["aten.mm.default"]}'
echo '{"type":"iterations","iterations":[[0,10,10,10,0,0],[10,10,10,10,0,0]]}'
echo '{"type":"calls","calls":[[0,0,1,2,0,0,-1,0],[0,0,11,2,0,0,-1,0]]}'
echo '{"type":"timeline","calls":2,"work":0,"cut_off":0,"dispatch_nanoseconds":1,"fault_nanoseconds":1,"bytes_per_second":1,"flops_per_second":1}'
echo '{"type":"done"}'
)");
    Measurer measurer(bench.processes, bench.clock);
    const auto timeline = measurer.timeline({}, native_suite(worker), measured, bench.settings, "", {});
    INFO((timeline ? std::string() : timeline.error().message));
    CHECK(timeline.has_value() == (iterations == 2));
    if (!timeline) CHECK(timeline.error().message.find("recorded 2 iterations, not 1 at most") != std::string::npos);
  }
}

}  // namespace tbci::measure_timeline_test
