// Two workers that take turns (Measurer::measure_alternately).
#include <thread>

#include "runner/measure.hpp"
#include "tests/catch.hpp"
#include "tests/runner/measure_bench.hpp"

namespace tbci::alternating_pair_test {

using namespace tbci::runner;
using namespace tbci::test::worker_lines;
using model::Configuration;
using model::Outcome;

using Bench = test::MeasureBench;

namespace {

const std::string done_in_turn = R"(echo '{"type":"done","samples":2,"alternated":2}'
)";

// A worker that behaves as `--alternate` says. `$order` is first or second, or empty where it is alone.
const std::string knows_its_order = R"(order=
while [ $# -gt 0 ]; do [ "$1" = --alternate ] && order=$2; shift; done
)";

Result<model::MeasurementPair> alternately(Bench& bench, const std::string& script, std::stop_token stop = {}) {
  Measurer measurer(bench.processes, bench.clock);
  const Suite suite = native_suite(test::write_script(bench.folder / "worker", knows_its_order + script));
  const model::Product product;
  return measurer.measure_alternately({product, suite}, {product, suite}, {"dlrm", Configuration::cpu_infer},
                                      bench.settings, std::move(stop));
}

model::MeasurementPair measured_alternately(Bench& bench, const std::string& script) {
  const auto pair = alternately(bench, script);
  INFO((pair ? std::string() : pair.error().message));
  REQUIRE(pair);
  return *pair;
}

}  // namespace

TEST_CASE("Measurer: the two workers of a pair run together and talk through their standard inputs", "[measure]") {
  Bench bench;
  // Each says its order and prints the other's: a worker alone would wait for it until its time limit.
  const auto pair = measured_alternately(bench, R"(echo $order >&0; read other; [ "$other" != "$order" ] || exit 1
[ $other = first ] && time=1 || time=2
)" + hello + R"(for i in 0 1; do echo '{"type":"sample","iteration":'$i',"nanoseconds":'$time'}'; done
)" + done_in_turn);
  CHECK(pair.before.outcome == Outcome::done);
  CHECK(pair.before.nanoseconds == std::vector<std::int64_t>{2, 2});
  CHECK(pair.after.nanoseconds == std::vector<std::int64_t>{1, 1});
  CHECK(pair.before.alternating);
  CHECK(pair.after.alternating);
}

TEST_CASE("Measurer: what two workers measured at the same time, without taking turns, does not count", "[measure]") {
  Bench bench;
  const std::string count = "echo x >> " + (bench.folder / "starts").string() + "\n";
  const auto pair = measured_alternately(bench, count + hello + two_samples + done);  // it ignores the option
  CHECK(pair.before.outcome == Outcome::done);
  CHECK_FALSE(pair.before.alternating);
  CHECK_FALSE(pair.after.alternating);
  CHECK(read_file(bench.folder / "starts").value() == "x\nx\nx\nx\n");
}

TEST_CASE("Measurer: two workers that look for leaks at the same time have twice the time for it", "[measure]") {
  Bench bench;
  bench.settings.leak_iterations = 50;
  bench.settings.leak_time = std::chrono::milliseconds(300);
  const std::string note = "echo \"$@\" >> " + (bench.folder / "arguments").string() + "\n";
  Measurer measurer(bench.processes, bench.clock);
  const Suite suite =
      native_suite(test::write_script(bench.folder / "worker", note + hello + two_samples + done_in_turn));
  const model::Product product;
  REQUIRE(measurer.measure_alternately({product, suite}, {product, suite}, {"dlrm", Configuration::cpu_infer},
                                       bench.settings, {}));
  const std::string said = read_file(bench.folder / "arguments").value();
  CHECK(said.find("--leak-milliseconds 600") != std::string::npos);
  CHECK(said.find("--leak-milliseconds 300") == std::string::npos);
}

TEST_CASE("Measurer: where one worker of a pair fails, both are measured again, one after the other", "[measure]") {
  const std::string alone = "[ -z $order ] || { read other; exit 1; }\n";  // as one that the other one's failure ends
  for (const char* failure : {"[ \"$order\" = first ] && kill -SEGV $$\n", "[ \"$order\" = second ] && exit 2\n",
                              "[ \"$order\" = first ] && exec sleep 1000\n"}) {
    INFO(failure);
    Bench bench;
    bench.settings.time_limit = std::chrono::milliseconds(1500);
    const auto pair = measured_alternately(bench, failure + alone + hello + two_samples + done);
    for (const model::Measurement& one : {pair.before, pair.after}) {
      CHECK(one.outcome == Outcome::done);
      CHECK_FALSE(one.alternating);
    }
  }
}

TEST_CASE("Measurer: a build that fails by itself fails in a pair as well, and the other one does not", "[measure]") {
  Bench bench;
  const std::string count = "echo x >> " + (bench.folder / "starts").string() + "\n";
  // Of the two that run alone the later one crashes: the third and the fourth start, as the first two are a pair.
  const std::string crash = "[ $(wc -l < " + (bench.folder / "starts").string() + ") = 4 ] && kill -SEGV $$\n";
  const auto pair = measured_alternately(
      bench, count + "[ \"$order\" = second ] && kill -SEGV $$\n" + crash + hello + two_samples + done);
  CHECK(pair.before.outcome == Outcome::done);
  CHECK(pair.after.outcome == Outcome::crashed);
}

TEST_CASE("Measurer: a stop ends both workers of a pair", "[measure]") {
  Bench bench;
  std::stop_source stop;
  std::jthread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  const auto pair = alternately(bench, "exec sleep 1000\n", stop.get_token());
  REQUIRE_FALSE(pair);
  CHECK(pair.error().kind == ErrorKind::interrupted);
}

TEST_CASE("Measurer: where one program of a pair cannot be started, the other one is ended", "[measure]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const Suite waits = native_suite(test::write_script(bench.folder / "worker", "exec sleep 1000\n"));
  const Suite missing = native_suite(bench.folder / "nowhere");
  const model::Product product;
  const model::Case measured{"dlrm", Configuration::cpu_infer};
  for (const auto& [first, second] : {std::pair(&waits, &missing), std::pair(&missing, &waits)}) {
    const auto pair = measurer.measure_alternately({product, *first}, {product, *second}, measured, bench.settings, {});
    REQUIRE_FALSE(pair);
    CHECK(pair.error().kind == ErrorKind::machine);
    CHECK(pair.error().message.find("nowhere") != std::string::npos);
  }
}

}  // namespace tbci::alternating_pair_test
