#include "pipeline/measure/measuring.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/measure/screening.hpp"
#include "pipeline/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::measuring_test {

using namespace tbci::test;

namespace {

using Facts = std::map<std::string, std::string>;

model::Build built(pipeline::SubjectContext& context, const FakeMachine& machine, std::size_t commit) {
  const auto build = pipeline::build_commit(context, machine.history[commit].id);
  REQUIRE(build);
  return *build;
}

// How many processes each benchmark cost on its CPU configuration, over both builds.
std::ptrdiff_t measured(const FakeMachine& machine, const std::string& benchmark) {
  return std::count_if(machine.effects.begin(), machine.effects.end(), [&](const std::string& effect) {
    return effect.starts_with("measure ") && effect.ends_with(benchmark + "/cpu-infer");
  });
}

pipeline::ComparisonPlan plan_of(pipeline::SubjectContext& context, FakeMachine& machine) {
  pipeline::ComparisonPlan plan{
      .key = "day", .builds = {built(context, machine, 0), built(context, machine, 1)}, .cases = {}};
  plan.cases = pipeline::wanted_cases(context, plan.builds.after.product).value();
  return plan;
}

}  // namespace

TEST_CASE("Sampling: a clearly unchanged case leaves after three pairs, a noisy one goes on, and none passes the most",
          "[sampling]") {
  const auto processes_with = [](double noise) {
    const TemporaryDirectory folder;
    FakeMachine machine(2);
    machine.noise = noise;
    Bench bench(folder.path(), machine);
    REQUIRE(pipeline::screen_builds(bench.context(), plan_of(bench.context(), machine)));
    return std::pair(measured(machine, "alpha"), measured(machine, "beta"));
  };
  CHECK(processes_with(0.002) == std::pair<std::ptrdiff_t, std::ptrdiff_t>(6, 6));
  const auto [alpha, beta] = processes_with(0.15);
  CHECK(std::min(alpha, beta) >= 10);
  CHECK(std::max(alpha, beta) > 10);
  CHECK(std::max(alpha, beta) <= 20);
}

TEST_CASE("Screen: a machine that becomes slower while two equal builds take turns raises no suspicion", "[screen]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.noise = 0.002;
  machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect.starts_with("measure ")) machine.slowness *= 1.004;
    return {};
  };
  Bench bench(folder.path(), machine);
  const auto screen = pipeline::screen_builds(bench.context(), plan_of(bench.context(), machine));
  REQUIRE(screen);
  for (const pipeline::ScreenedSeries& one : screen->series) {
    INFO(to_string(one.finding.series) << ": " << one.finding.reason);
    CHECK(one.finding.verdict == model::Verdict::clear);
  }
  CHECK(machine.slowness > 1.04);
}

TEST_CASE("Confirmation: the screen's pairs count, unless the machine has changed since", "[confirm]") {
  const auto confirming_pairs = [](bool machine_changes) {
    const TemporaryDirectory folder;
    FakeMachine machine(2);
    machine.noise = 0.002;
    machine.slower = {{"alpha", {{1, 1.3}}}};
    Bench bench(folder.path(), machine);
    const auto plan = plan_of(bench.context(), machine);
    const auto screen = pipeline::screen_builds(bench.context(), plan).value();
    const auto before = measured(machine, "alpha");
    if (machine_changes) machine.facts["kernel"] = "another";
    const auto findings = pipeline::confirm_suspects(bench.context(), plan, screen).value();
    const auto time = std::ranges::find_if(
        findings, [](const model::Finding& finding) { return finding.series.metric == model::Metric::time; });
    REQUIRE(time != findings.end());
    CHECK(time->verdict == model::Verdict::regression);
    CHECK(time->pairs == 8);
    return (measured(machine, "alpha") - before) / 2;
  };
  CHECK(confirming_pairs(false) == 3);
  CHECK(confirming_pairs(true) == 8);
}

TEST_CASE("Confirmation: the screen's pairs do not count where its processes did not take turns, as they do now",
          "[confirm]") {
  const auto confirming_pairs = [](settings::Alternate alternate) {
    const TemporaryDirectory folder;
    FakeMachine machine(2);
    machine.noise = 0.002;
    machine.alternating = true;
    machine.slower = {{"alpha", {{1, 1.3}}}};
    Bench bench(folder.path(), machine);
    bench.config().measure.alternate = alternate;
    const auto plan = plan_of(bench.context(), machine);
    const auto screen = pipeline::screen_builds(bench.context(), plan).value();
    const auto before = measured(machine, "alpha");
    REQUIRE(pipeline::confirm_suspects(bench.context(), plan, screen));
    return (measured(machine, "alpha") - before) / 2;
  };
  CHECK(confirming_pairs(settings::Alternate::none) == 3);
  CHECK(confirming_pairs(settings::Alternate::judged) == 8);
  CHECK(confirming_pairs(settings::Alternate::all) == 3);
}

TEST_CASE("Pairs: the configuration says for which runs they take turns, iteration by iteration", "[pairs]") {
  const auto alternating_pairs = [](settings::Alternate alternate, model::Purpose purpose) {
    const TemporaryDirectory folder;
    FakeMachine machine(2);
    machine.alternating = true;
    Bench bench(folder.path(), machine);
    bench.config().measure.alternate = alternate;
    pipeline::ComparisonPlan plan = plan_of(bench.context(), machine);
    plan.purpose = purpose;
    REQUIRE(pipeline::screen_builds(bench.context(), plan));
    return machine.alternating_pairs;
  };
  using enum settings::Alternate;
  CHECK(alternating_pairs(none, model::Purpose::manual) == 0);
  CHECK(alternating_pairs(judged, model::Purpose::screen) == 0);
  CHECK(alternating_pairs(judged, model::Purpose::manual) >= 6);
  CHECK(alternating_pairs(all, model::Purpose::screen) >= 6);
}

TEST_CASE("Pairs: what slows single iterations does not move the effect of builds that take turns", "[pairs]") {
  model::Measurement before, after;
  before.alternating = after.alternating = true;
  before.nanoseconds = {100, 200, 900, 400};
  after.nanoseconds = {110, 220, 90, 440};  // +10% but for one
  const auto pair = pipeline::pair_of(before, after, model::Metric::time);
  REQUIRE(pair);
  CHECK(pair->before == 300);
  CHECK(pair->after == Approx(330));
  after.alternating = false;  // one after the other: their neighbours have nothing in common
  CHECK(pipeline::pair_of(before, after, model::Metric::time)->after == 165);
  after.alternating = true;
  after.nanoseconds.pop_back();  // it says too little about which iteration is whose neighbour
  CHECK(pipeline::pair_of(before, after, model::Metric::time)->after == 110);
}

TEST_CASE("Pairs: of a pair that was cut off in the middle, the other process is measured alone", "[pairs]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.alternating = true;
  Bench bench(folder.path(), machine);
  pipeline::SubjectContext& context = bench.context();
  const pipeline::ComparisonPlan plan = plan_of(context, machine);
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  const auto run = pipeline::begin_run(context, "day/confirm", model::Purpose::confirm, both).value();
  const pipeline::Process process{plan.cases.front(), 0, pipeline::Leaks::skip};
  REQUIRE(pipeline::measure_once(context, run, plan.builds.before, process));
  const auto pair = pipeline::measure_pair(context, run, plan.builds, process);
  REQUIRE(pair);
  CHECK(machine.alternating_pairs == 0);
  CHECK(pair->after.outcome == model::Outcome::done);
  CHECK(measured(machine, plan.cases.front().benchmark) == 2);

  const pipeline::Process next{plan.cases.front(), 1, pipeline::Leaks::skip};
  const auto first = pipeline::measure_pair(context, run, plan.builds, next);
  const auto again = pipeline::measure_pair(context, run, plan.builds, next);  // from the database
  REQUIRE(first);
  REQUIRE(again);
  CHECK(machine.alternating_pairs == 1);
  CHECK(again->before.nanoseconds == first->before.nanoseconds);
  CHECK(again->after.nanoseconds == first->after.nanoseconds);
}

TEST_CASE("Sampling: a screen that was cut off goes on where it was, and ends where an undisturbed one ends",
          "[sampling]") {
  const auto screen = [](const std::filesystem::path& state, FakeMachine& machine) {
    Bench bench(state, machine);
    return pipeline::screen_builds(bench.context(), plan_of(bench.context(), machine)).has_value();
  };
  const TemporaryDirectory whole, cut;
  FakeMachine undisturbed(2), disturbed(2);
  undisturbed.noise = disturbed.noise = 0.03;
  REQUIRE(screen(whole.path(), undisturbed));
  int calls = 0;
  disturbed.before_effect = [&](const std::string& effect) -> Status {
    if (effect.starts_with("measure ") && ++calls % 4 == 0) return fail(ErrorKind::interrupted, "switched off");
    return {};
  };
  int tries = 1;
  while (!screen(cut.path(), disturbed)) REQUIRE(++tries < 100);
  CHECK(tries > 3);
  CHECK(disturbed.effects == undisturbed.effects);
}

TEST_CASE("Sampling: a case that fails on one build is not tried more often than the least", "[sampling]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.noise = 0.3;
  machine.broken = {{"alpha", model::Outcome::out_of_memory}};
  machine.broken_from = 1;
  Bench bench(folder.path(), machine);
  const auto screen = pipeline::screen_builds(bench.context(), plan_of(bench.context(), machine));
  REQUIRE(screen);
  CHECK(measured(machine, "alpha") == 10);
  CHECK(measured(machine, "beta") == 20);  // the others go on
  CHECK(std::ranges::any_of(pipeline::findings_of(screen->series), [](const model::Finding& finding) {
    return finding.series.benchmark == "alpha" && finding.reason.find("out_of_memory") != std::string::npos;
  }));
}

TEST_CASE("Environment: the machine's libraries are part of the fingerprint, those of a build are not",
          "[environment]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  Bench bench(folder.path(), machine);
  pipeline::SubjectContext& context = bench.context();
  machine.machine_libraries = {{"library.blas", "libopenblas.so.0 aaaa"}};
  machine.own_libraries = {{0, {{"library.openmp", "libgomp.so.1 1111"}}},
                           {1, {{"library.openmp", "libgomp.so.1 2222"}}}};
  const model::Build both[] = {built(context, machine, 0), built(context, machine, 1)};
  const auto environment = pipeline::environment_of(context, both);
  REQUIRE(environment);
  CHECK(environment->facts == Facts{{"cpu", "fake"}, {"library.blas", "libopenblas.so.0 aaaa"}});
  CHECK(bench.stores().builds.get(both[0].id).value().libraries == Facts{{"library.openmp", "libgomp.so.1 1111"}});
  CHECK(bench.stores().builds.get(both[1].id).value().libraries == Facts{{"library.openmp", "libgomp.so.1 2222"}});
  // A slower library that a nightly brings is not a change of the machine.
  machine.own_libraries[1] = {{"library.openmp", "libgomp.so.1 3333"}};
  CHECK(pipeline::environment_of(context, both).value().fingerprint() == environment->fingerprint());
  machine.machine_libraries = {{"library.blas", "libopenblas.so.0 bbbb"}};
  CHECK(pipeline::environment_of(context, both).value().fingerprint() != environment->fingerprint());
}

TEST_CASE("Environment: a worker that does not tell its libraries is measured all the same", "[environment]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.libraries_unknown = true;
  Bench bench(folder.path(), machine);
  const auto screen = pipeline::screen_builds(bench.context(), plan_of(bench.context(), machine));
  REQUIRE(screen);
  CHECK_FALSE(screen->series.empty());
  const auto run = bench.stores().runs.find("fake", "day/screen");
  REQUIRE(run.value());
  const auto environment = bench.stores().runs.environment((*run)->environment);
  CHECK(environment.value()->facts.at("libraries") == "unknown: the worker does not tell");
}

TEST_CASE("Instructions: they stand beside a regression of the time, and are not a regression themselves",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.2}};
  machine.instructions = 1'000'000'000;
  machine.own_libraries = {{0, {{"library.openmp", "libgomp.so.1 1111aa"}}},
                           {70, {{"library.openmp", "libgomp.so.1 2222bb"}}}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(result->regressions.size() == 1);
  const auto found = std::find_if(result->findings.begin(), result->findings.end(), [](const model::Finding& finding) {
    return to_string(finding.series) == "beta/cpu-infer/instructions";
  });
  REQUIRE(found != result->findings.end());
  CHECK(found->verdict == model::Verdict::clear);
  CHECK(found->change == Approx(0.2));
  CHECK(found->pairs >= 8);
  REQUIRE(result->reports.size() == 1);
  const std::string& body = result->reports[0].body;
  INFO(body);
  CHECK(body.find("- beta (cpu-infer): from 1 G instructions to 1.20 G instructions (+20.0%") != std::string::npos);
  CHECK(body.find("the code does more work") != std::string::npos);
  CHECK(body.find("another libgomp.so.1 was loaded (2222… instead of 1111…)") != std::string::npos);
}

}  // namespace tbci::measuring_test
