#include "pipeline/measure/runner_comparison.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "pipeline/measure/measuring.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::runner_comparison_test {

using namespace tbci::test;

namespace {

constexpr model::Peaks peaks_of_one = {
    .gpu = false, .fp32_flops_per_second = 100, .bf16_flops_per_second = 400, .bytes_per_second = 10};

// Runner `one` and runner `two`, which is half as fast, as `tbci run` measures a build on each of them.
struct Runners : FakeRange {
  Runners() : FakeRange(2) {
    machine.best = peaks_of_one;
    bench.config().measure.configurations = {model::Configuration::cpu_infer};
  }

  void measure_on(const std::string& runner, double slowness, std::size_t at = 0) {
    bench.config().runner.name = runner;
    machine.slowness = slowness;
    machine.facts["variable ATEN_CPU_CAPABILITY"] = slowness > 1 ? "default" : "";
    if (slowness <= 1) machine.facts.erase("variable ATEN_CPU_CAPABILITY");
    bench.clock().advance(std::chrono::minutes(1));
    const auto build = pipeline::build_commit(bench.context(), commit(at)).value();
    const auto cases = pipeline::wanted_cases(bench.context(), build.product).value();
    REQUIRE(pipeline::measure_by_hand(bench.context(), build, cases));
  }

  void measure_both() {
    measure_on("one", 1);
    measure_on("two", 2);
  }

  Result<pipeline::RunnerComparison> compared(const std::vector<std::string>& runners = {"one", "two"},
                                              std::size_t at = 0) {
    return pipeline::compare_runners(bench.context(), commit(at), runners);
  }

  std::string why_refused(const std::vector<std::string>& runners = {"one", "two"}, std::size_t at = 0) {
    const auto answer = compared(runners, at);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::usage);
    return answer.error().message;
  }
};

}  // namespace

TEST_CASE("compare_runners: each case's ratio to the first runner, of stored processes alone", "[runners]") {
  Runners runners;
  runners.measure_both();
  const auto effects = runners.machine.effects;
  const auto compared = runners.compared().value();
  CHECK(runners.machine.effects == effects);
  REQUIRE(compared.cases.size() == 2);
  const pipeline::ComparedRunners& alpha = compared.cases[0];
  CHECK(to_string(alpha.measured) == "alpha/cpu-infer");
  CHECK(alpha.domain == "tests");
  CHECK(alpha.nanoseconds.value() == Approx(1e7).epsilon(0.05));
  REQUIRE(alpha.results.size() == 1);
  CHECK(alpha.results[0].runner == "two");
  CHECK(alpha.results[0].time.value().ratio == Approx(2).epsilon(0.02));
  CHECK(alpha.results[0].time->low < alpha.results[0].time->ratio);
  CHECK(alpha.results[0].cpu_memory.value().ratio == Approx(1));
  CHECK_FALSE(alpha.results[0].gpu_memory);
  CHECK(alpha.results[0].why.empty());
}

TEST_CASE("compare_runners: the environments' difference is a sentence, and the peaks are those of both", "[runners]") {
  Runners runners;
  runners.measure_both();
  const auto compared = runners.compared().value();
  REQUIRE(compared.differences.size() == 1);
  CHECK(compared.differences[0].runner == "two");
  CHECK(compared.differences[0].cases == 2);
  CHECK(compared.differences[0].what == "ATEN_CPU_CAPABILITY is default; it was not set");
  REQUIRE(compared.peaks.size() == 2);
  CHECK(compared.peaks[0].runner == "one");
  CHECK(compared.peaks[0].peaks == std::vector{peaks_of_one});
  CHECK(compared.peaks[1].peaks == std::vector{peaks_of_one});
  // Measured once for each build, runner and environment.
  runners.measure_on("two", 2);
  CHECK(std::ranges::count_if(runners.machine.effects,
                              [](const std::string& effect) { return effect.starts_with("peaks "); }) == 2);
}

TEST_CASE("compare_runners: a mean over the domain and over all cases", "[runners]") {
  Runners runners;
  runners.measure_both();
  const auto means = pipeline::means_of(runners.compared().value().cases);
  REQUIRE(means.size() == 2);
  CHECK(means[0].domain == "tests");
  CHECK(means[1].domain.empty());
  CHECK(means[1].cases == 2);
  CHECK(means[1].asked == 2);
  CHECK(means[1].time == Approx(2).epsilon(0.02));
  CHECK(means[1].cpu_memory.value() == Approx(1));
  CHECK_FALSE(means[1].gpu_memory);
}

TEST_CASE("compare_runners: what one of them lacks has its reason, and the other cases stay", "[runners]") {
  Runners runners;
  runners.measure_on("one", 1);
  runners.machine.broken["beta"] = model::Outcome::exception;
  runners.machine.broken_message = "out of ideas";
  runners.measure_on("two", 2);
  runners.machine.suite = {"alpha", "beta", "gamma"};
  runners.machine.broken.clear();
  runners.bench.config().measure.benchmarks = {"gamma"};
  runners.measure_on("one", 1);
  runners.bench.config().measure.benchmarks.clear();
  const auto compared = runners.compared().value();
  REQUIRE(compared.cases.size() == 3);
  CHECK(compared.cases[0].results[0].time);
  CHECK_FALSE(compared.cases[1].results[0].time);
  CHECK(compared.cases[1].results[0].why == "exception: out of ideas");
  CHECK(compared.cases[2].results[0].why == "not measured on this build");
  const auto means = pipeline::means_of(compared.cases);
  CHECK(means.back().cases == 1);
  CHECK(means.back().asked == 3);
}

TEST_CASE("compare_runners: numbers of another batch, size or precision are refused with the difference", "[runners]") {
  for (const std::string fact : {"batch", "size", "precision"}) {
    Runners runners;
    runners.machine.facts[fact] = "8";
    runners.measure_on("one", 1);
    runners.machine.facts[fact] = "16";
    runners.measure_on("two", 2);
    CHECK(runners.why_refused() == "these runners have no case in common on " + runners.commit(0) + ": the " + fact +
                                       " is 8 on one, and 16 on two");
  }
}

TEST_CASE("compare_runners: a runner that nobody knows, or that is named twice, is refused", "[runners]") {
  Runners runners;
  runners.measure_both();
  CHECK(runners.why_refused({"one", "twoo"}) ==
        "fake has no runs of the runner 'twoo' (did you mean 'two'?); it has runs of: one, two");
  CHECK(runners.why_refused({"one", "one"}) == "the runner one is named twice: name two different ones");
  CHECK(runners.why_refused({"one"}) == "--runners needs two names, as in --runners R1,R2; fake has runs of: one, two");
}

TEST_CASE("compare_runners: without a common build the answer names those that there are", "[runners]") {
  Runners runners;
  runners.measure_on("one", 1, 0);
  runners.measure_on("two", 2, 1);
  CHECK(runners.why_refused() == "two has measured nothing of " + runners.commit(0) +
                                     ": they have no build in common: measure one on both by `tbci run --build`");
  runners.measure_on("one", 1, 1);
  CHECK(runners.why_refused() ==
        "two has measured nothing of " + runners.commit(0) + ": all of them measured " + runners.commit(1));
  CHECK(runners.compared({"one", "two"}, 1));
  // By the begin of a commit as well.
  CHECK(pipeline::compare_runners(runners.bench.context(), runners.commit(1).substr(0, 10), {"one", "two"}));
}

TEST_CASE("compare_runners: a benchmark that neither measured is refused with the nearest name", "[runners]") {
  Runners runners;
  runners.measure_both();
  runners.bench.config().measure.benchmarks = {"alhpa"};
  CHECK(contains(runners.why_refused(), "none of them measured the benchmark 'alhpa' on this build"));
  CHECK(contains(runners.why_refused(), "'alpha'"));
}

TEST_CASE("compare_runners: three runners are two ratios to the first", "[runners]") {
  Runners runners;
  runners.measure_both();
  runners.measure_on("three", 3);
  const auto compared = runners.compared({"two", "one", "three"}).value();
  REQUIRE(compared.cases[0].results.size() == 2);
  CHECK(compared.cases[0].results[0].time->ratio == Approx(0.5).epsilon(0.02));
  CHECK(compared.cases[0].results[1].time->ratio == Approx(1.5).epsilon(0.02));
}

TEST_CASE("compare_runners: a runner's processes are those of its latest environment", "[runners]") {
  Runners runners;
  runners.measure_on("one", 1);
  runners.measure_on("two", 2);
  runners.machine.facts["kernel"] = "new";
  runners.measure_on("two", 3);
  const auto compared = runners.compared().value();
  CHECK(compared.cases[0].results[0].time->ratio == Approx(3).epsilon(0.02));
  REQUIRE(compared.differences.size() == 1);
  CHECK(contains(compared.differences[0].what, "the kernel is new"));
}

TEST_CASE("A runner with variables says nothing of a build's libraries where another one did", "[runners]") {
  Runners runners;
  runners.machine.own_libraries[0] = {{"cpu_capability", "AVX512"}};
  runners.measure_on("one", 1);
  runners.machine.own_libraries[0] = {{"cpu_capability", "DEFAULT"}};
  runners.bench.config().runner.variables = {{"ATEN_CPU_CAPABILITY", "default"}};
  runners.measure_on("two", 2);
  const auto build = pipeline::build_commit(runners.bench.context(), runners.commit(0)).value();
  CHECK(build.libraries.at("cpu_capability") == "AVX512");
}

}  // namespace tbci::runner_comparison_test
