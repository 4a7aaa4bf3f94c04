#include "pipeline/measure/predicting.hpp"

#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::predicting_test {

using namespace tbci::test;

namespace {

const model::Case beta = {"beta", model::Configuration::cpu_infer};

// A product of 1000 ns and 10 a sample; without the recorder an iteration takes 200 ns less.
model::Timeline recorded_with(int batch) {
  made_timeline::MadeTimeline made;
  made.iteration(0, 1000 + 10 * batch);
  const auto x = made.tensor(1, {batch, 8}), w = made.tensor(2, {8, 4});
  made.call("aten.mm.default", 0, 1000 + 10 * batch, {x, w}, {made.tensor(3, {batch, 4})});
  return made.timeline();
}

FakeMachine recording_machine() {
  FakeMachine machine(3);
  machine.recorded_batch = [](int batch) { return recorded_with(batch); };
  machine.batch_time = [](std::size_t, int batch) { return 800.0 + 10 * batch; };
  return machine;
}

model::Build last_build(Bench& bench, const FakeMachine& machine) {
  return pipeline::build_commit(bench.context(), machine.history.back().id).value();
}

std::vector<std::string> processes_of(const FakeMachine& machine) {
  std::vector<std::string> found;
  for (const std::string& effect : machine.effects) {
    if (effect.starts_with("measure ") || effect.starts_with("timeline "))
      found.push_back(effect.substr(0, effect.find(' ')) + effect.substr(effect.rfind(' ')));
  }
  return found;
}

runner::Listing listing_of(std::map<std::string, std::int64_t> batch) {
  runner::Listing listing;
  listing.benchmarks.emplace_back();
  listing.benchmarks.back().name = "beta";
  listing.benchmarks.back().batch = std::move(batch);
  return listing;
}

}  // namespace

TEST_CASE("Predicting: batches are recorded and run in turn, and another one is predicted from them", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = recording_machine();
  Bench bench(folder.path(), machine);
  const auto build = last_build(bench, machine);
  const auto predicted = pipeline::predict(bench.context(), build, beta, 40, {.batch = 60, .processes = 2});
  REQUIRE(predicted);
  CHECK(predicted->prediction.calibrated == std::vector<int>{10, 20, 40, 80});
  CHECK(predicted->prediction.time == Approx(800 + 10 * 60));
  CHECK(predicted->prediction.active() == Approx(1000 + 10 * 60 - 100));  // less the launch
  CHECK(predicted->prediction.rest == Approx(-200));
  const auto processes = processes_of(machine);
  REQUIRE(processes.size() == 4 * 2 * 2);
  CHECK(processes[0] == "timeline 10");
  CHECK(processes[1] == "measure 10");
  CHECK(processes[2] == "timeline 20");
  CHECK(processes[8] == processes[0]);
}

TEST_CASE("Predicting: without a batch it is the own one, and batches to calibrate with can be named", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = recording_machine();
  Bench bench(folder.path(), machine);
  const auto build = last_build(bench, machine);
  const auto predicted = pipeline::predict(bench.context(), build, beta, 30, {.calibrate = {50, 20}, .processes = 1});
  REQUIRE(predicted);
  CHECK(predicted->prediction.batch == 30);
  CHECK(predicted->prediction.calibrated == std::vector<int>{20, 50});
  CHECK(predicted->prediction.time == Approx(1100));
}

TEST_CASE("Predicting: a batch that does not fit costs itself alone, and one that is left is too few", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = recording_machine();
  machine.most_samples = 40;
  machine.recorded_batch = [](int batch) -> Result<model::Timeline> {
    if (batch < 20) return fail(ErrorKind::failed, "no such batch");
    return recorded_with(batch);
  };
  Bench bench(folder.path(), machine);
  const auto build = last_build(bench, machine);
  const auto predicted = pipeline::predict(bench.context(), build, beta, 40, {.batch = 30});
  REQUIRE(predicted);
  CHECK(predicted->prediction.calibrated == std::vector<int>{20, 40});
  CHECK(predicted->missing.at(80).find("not here") != std::string::npos);
  CHECK(predicted->missing.at(10) == "no such batch");
  machine.most_samples = 30;
  const auto few = pipeline::predict(bench.context(), build, beta, 40, {.batch = 30});
  REQUIRE_FALSE(few);
  CHECK(few.error().kind == ErrorKind::failed);
  CHECK(few.error().message == "beta/cpu-infer: fewer than two batches could be calibrated; batch 10: no such batch");
}

TEST_CASE("Predicting: the time of a GPU is refused before anything is run", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = recording_machine();
  Bench bench(folder.path(), machine);
  const auto build = last_build(bench, machine);
  const auto refused = pipeline::predict(bench.context(), build, {"beta", model::Configuration::gpu_infer}, 40, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(processes_of(machine).empty());
}

TEST_CASE("Predicting: calibration is around the own batch, with three batches at least", "[pipeline]") {
  using Batches = std::vector<int>;
  CHECK(pipeline::calibration_batches(512) == Batches{128, 256, 512, 1024});
  CHECK(pipeline::calibration_batches(6) == Batches{1, 3, 6, 12});
  CHECK(pipeline::calibration_batches(3) == Batches{1, 3, 6});
  CHECK(pipeline::calibration_batches(2) == Batches{1, 2, 4});
  CHECK(pipeline::calibration_batches(1) == Batches{1, 2, 4});
}

TEST_CASE("Predicting: the own batch is as configured, or as the worker lists it for size ci", "[pipeline]") {
  settings::Config config;
  const auto listing = listing_of({{"train", 8}, {"infer", 64}});
  CHECK(pipeline::own_batch_of(config, listing, beta).value() == 64);
  CHECK(pipeline::own_batch_of(config, listing, {"beta", model::Configuration::cpu_train}).value() == 8);
  CHECK_FALSE(pipeline::own_batch_of(config, listing_of({}), beta));
  CHECK_FALSE(pipeline::own_batch_of(config, runner::Listing(), beta));
  config.measure.worker.size = "paper";
  CHECK(pipeline::own_batch_of(config, listing, beta).error().kind == ErrorKind::usage);
  config.measure.worker.batch = 16;
  CHECK(pipeline::own_batch_of(config, listing, beta).value() == 16);
}

}  // namespace tbci::predicting_test
