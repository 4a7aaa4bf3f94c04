#include "pipeline/measure/backend_comparison.hpp"

#include <algorithm>

#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::backend_comparison_test {

using namespace tbci::test;

using model::Backend;
using model::Verdict;

namespace {

// On each commit jit-frozen takes 0.8 of eager's time, and the suite has no channels-last.
struct Compared : FakeRange {
  Compared() : FakeRange(2) {
    machine.backends = {Backend::eager, Backend::jit, Backend::jit_frozen};
    machine.slower_backends[Backend::jit_frozen] = {{0, 0.8}};
    bench.config().measure.configurations = {model::Configuration::cpu_infer};
    bench.config().measure.sampling.least = 5;
  }

  std::vector<pipeline::ComparedBackends> rows(std::size_t at = 0) {
    pipeline::SubjectContext& context = bench.context();
    const auto build = pipeline::build_commit(context, commit(at)).value();
    return pipeline::compare_backends(context, build,
                                      {Backend::eager, Backend::jit, Backend::jit_frozen, Backend::channels_last})
        .value();
  }
};

model::Verdict verdict_in(const pipeline::NightResult& result, const std::string& series) {
  for (const model::Finding& finding : result.findings) {
    if (to_string(finding.series) == series) return finding.verdict;
  }
  FAIL("no finding of " + series);
  return {};
}

}  // namespace

TEST_CASE("compare_backends: the ratio of each backend's time to eager's, by processes in turn", "[backends]") {
  Compared compared;
  const auto rows = compared.rows();
  REQUIRE(rows.size() == 2);
  CHECK(to_string(rows[0].eager) == "alpha/cpu-infer");
  CHECK(rows[0].nanoseconds.value() > 0);
  REQUIRE(rows[0].results.size() == 3);
  const auto& jit = rows[0].results[0];
  const auto& frozen = rows[0].results[1];
  CHECK(jit.backend == Backend::jit);
  CHECK(jit.time.value().ratio == Approx(1.0).margin(0.02));
  CHECK(frozen.time.value().ratio == Approx(0.8).margin(0.02));
  CHECK(frozen.time->pairs == 5);
  CHECK(frozen.time->low < frozen.time->ratio);
  // eager, jit, jit-frozen, and then the next case: what slows the machine slows all of them.
  std::vector<std::string> measured;
  for (const std::string& effect : compared.machine.effects) {
    if (effect.rfind("measure ", 0) == 0) measured.push_back(effect.substr(effect.rfind(' ') + 1));
  }
  REQUIRE(measured.size() == 30);
  CHECK(std::vector(measured.begin(), measured.begin() + 4) ==
        std::vector<std::string>{"alpha/cpu-infer", "alpha/cpu-infer:jit", "alpha/cpu-infer:jit-frozen",
                                 "beta/cpu-infer"});
}

TEST_CASE("compare_backends: a backend that the suite lacks, or that fits no such configuration, has its reason",
          "[backends]") {
  Compared compared;
  CHECK(compared.rows()[0].results[2].why == "its suite has no channels-last on this build");
  compared.machine.backends.push_back(Backend::channels_last);
  compared.machine.broken["beta"] = model::Outcome::exception;
  const auto rows = compared.rows(1);
  CHECK(rows[0].results[2].time);
  CHECK(rows[1].why == "killed by SIGSEGV");
  CHECK_FALSE(rows[1].results[0].time);
}

TEST_CASE("compare_backends: means are geometric, of those that have a number", "[backends]") {
  Compared compared;
  const auto means = pipeline::means_of(compared.rows());
  REQUIRE(means.size() == 6);  // three backends, of the one domain and of all
  const auto frozen = std::ranges::find_if(
      means, [](const auto& one) { return one.backend == Backend::jit_frozen && one.domain.empty(); });
  REQUIRE(frozen != means.end());
  CHECK(frozen->infer);
  CHECK(frozen->cases == 2);
  CHECK(frozen->time == Approx(0.8).margin(0.02));
  const auto missing = std::ranges::find_if(
      means, [](const auto& one) { return one.backend == Backend::channels_last && one.domain.empty(); });
  REQUIRE(missing != means.end());
  CHECK(missing->cases == 0);
  CHECK(missing->asked == 2);
  pipeline::ComparedBackends training{.eager = {"alpha", model::Configuration::cpu_train},
                                      .domain = "tests",
                                      .nanoseconds = 1,
                                      .why = "",
                                      .results = {}};
  training.results.emplace_back().backend = Backend::jit_frozen;
  CHECK(pipeline::means_of({training}).empty());  // it trains nothing, so it is missing nowhere
}

TEST_CASE("Cases: a backend that no suite has is named, and makes no case", "[backends]") {
  Compared compared;
  pipeline::SubjectContext& context = compared.bench.context();
  compared.bench.config().measure.backends = {Backend::eager, Backend::aoti};
  const auto build = pipeline::build_commit(context, compared.commit(0)).value();
  CHECK(pipeline::wanted_cases(context, build.product).value().size() == 2);
  CHECK(std::ranges::find(compared.bench.notes(), "no suite has the backend aoti on this build") !=
        compared.bench.notes().end());
}

TEST_CASE("Nights: a fault that only a compiled path meets is filed for that path, with its commit", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.backends = {model::Backend::eager, model::Backend::jit_frozen};
  machine.slower_backends[model::Backend::jit_frozen] = {{42, 1.2}};
  Bench bench(folder.path(), machine);
  bench.config().measure.backends = {model::Backend::eager, model::Backend::jit_frozen};
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(verdict_in(*result, "beta/cpu-infer/time") == Verdict::clear);
  CHECK(verdict_in(*result, "alpha/cpu-infer/time") == Verdict::clear);
  CHECK(verdict_in(*result, "beta/cpu-infer:jit-frozen/time") == Verdict::regression);
  REQUIRE_FALSE(result->regressions.empty());
  for (const auto& regression : result->regressions) {
    CAPTURE(to_string(regression.finding.series));
    CHECK(regression.suspects == std::vector{machine.history[42].id});
    CHECK(regression.finding.series.configuration.backend == model::Backend::jit_frozen);
  }
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find("cpu-infer:jit-frozen") != std::string::npos);
}

}  // namespace tbci::backend_comparison_test
