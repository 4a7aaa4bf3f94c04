#include "pipeline/pipeline.hpp"

#include <algorithm>

#include "pipeline/night/delivering.hpp"
#include "pipeline/night/night_selection.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::pipeline_test {

using namespace tbci::test;

using model::Verdict;

namespace {

Verdict verdict_of(const pipeline::NightResult& result, const std::string& series) {
  for (const model::Finding& finding : result.findings) {
    if (to_string(finding.series) == series) return finding.verdict;
  }
  FAIL("no finding of " + series);
  return {};
}

}  // namespace

TEST_CASE("Pipeline: a slowdown is confirmed, bisected to its commit, and filed once", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.2}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(result->night.stage == model::Stage::done);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::clear);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{machine.history[42].id});
  CHECK(result->regressions[0].state == model::RegressionState::reported);
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find(machine.history[42].id.substr(0, 10)) != std::string::npos);
  const auto bisection = bench.stores().bisections.get(*result->regressions[0].bisection_id);
  REQUIRE(bisection);
  CHECK(bisection->builds <= 9);  // ceil(log2(70)) = 7, and the ends
  CHECK(bisection->measurements > 0);
}

TEST_CASE("Pipeline: builds that bring the same BLAS are not the same binary", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.2}};
  machine.own_libraries[0] = machine.own_libraries[70] = {{"library.blas", "libopenblas.so.0 3f2a91c0b3d27e11"}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
}

TEST_CASE("Pipeline: a clean day files nothing and asks for no bisection", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(result->regressions.empty());
  CHECK(result->reports.empty());
  CHECK(std::none_of(machine.effects.begin(), machine.effects.end(),
                     [](const auto& e) { return e.rfind("build ", 0) == 0; }));
}

TEST_CASE("Pipeline: a change under the threshold is not filed, however certain", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.noise = 0.003;
  machine.slower["alpha"] = {{30, 1.055}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::clear);
  CHECK(result->reports.empty());
}

TEST_CASE("Pipeline: the screen goes over all cases before it measures one again", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context()));
  std::vector<std::string> order;
  for (const std::string& effect : machine.effects) {
    const auto at = effect.find("/cpu-infer");
    if (effect.starts_with("measure ") && at != std::string::npos) order.push_back(effect.substr(at - 5, 5));
  }
  REQUIRE(order.size() >= 8);
  // Old and new build of the one, of the other, and again.
  CHECK(std::vector(order.begin(), order.begin() + 8) ==
        std::vector<std::string>{"alpha", "alpha", " beta", " beta", "alpha", "alpha", " beta", " beta"});
}

TEST_CASE("Pipeline: a leak of a kilobyte is confirmed and bisected; one process of a case looks for it at first",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context()));
  CHECK(machine.growths == 4);  // two benchmarks on two builds

  const TemporaryDirectory other;
  FakeMachine leaking(71);
  leaking.leaking["beta"] = {{42, 1040}};
  Bench second(other.path(), leaking);
  const auto result = pipeline::check_night(second.context());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/cpu_leak") == Verdict::regression);
  CHECK(verdict_of(*result, "alpha/cpu-infer/cpu_leak") == Verdict::clear);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{leaking.history[42].id});
}

TEST_CASE("Pipeline: a growth whose interval does not leave the old one's is not a leak", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.leaking["beta"] = {{42, 100000}};
  machine.growth_half_width = 60000;
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/cpu_leak") == Verdict::clear);
}

TEST_CASE("Pipeline: two culprits of one day make two reports, two series of one culprit make one", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.suite = {"alpha", "beta", "gamma"};
  machine.slower["alpha"] = {{20, 1.2}};
  machine.slower["beta"] = {{50, 1.3}};
  machine.slower["gamma"] = {{50, 1.15}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 2);
  REQUIRE(result->regressions.size() == 3);  // the worst first, as they were confirmed
  CHECK(result->regressions[0].suspects == std::vector{machine.history[50].id});
  CHECK(result->regressions[1].suspects == std::vector{machine.history[20].id});
  CHECK(result->regressions[2].suspects == std::vector{machine.history[50].id});
  CHECK(*result->regressions[0].report_id == *result->regressions[2].report_id);
  CHECK(*result->regressions[0].report_id != *result->regressions[1].report_id);
}

TEST_CASE("Pipeline: commits that do not build leave a set that can't be told apart", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.25}};
  machine.unbuildable = {41, 42};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects ==
        std::vector{machine.history[41].id, machine.history[42].id, machine.history[43].id});
  CHECK(result->reports.size() == 1);
}

TEST_CASE("Pipeline: a model that crashes on the new build alone is a break, and the others are judged", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.broken["alpha"] = model::Outcome::crashed;
  machine.broken_from = 10;
  machine.slower["beta"] = {{42, 1.25}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::inconclusive);
  CHECK(verdict_of(*result, "alpha/cpu-infer/outcome") == Verdict::regression);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
  CHECK(result->reports.size() == 2);
}

TEST_CASE("Pipeline: a nightly that does not install is a failed night, and the next call does not try it again",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.unbuildable = {70};
  Bench bench(folder.path(), machine);
  CHECK_FALSE(pipeline::check_night(bench.context()));
  const auto effects = machine.effects.size();
  const auto again = pipeline::check_night(bench.context());
  REQUIRE(again);
  CHECK(again->checked_before);
  CHECK(again->night.stage == model::Stage::failed);
  CHECK(machine.effects.size() == effects);
  // It was the machine after all: a person may ask for another try.
  machine.unbuildable.clear();
  const auto retried = pipeline::check_night(bench.context(), {.nightly = {}, .baseline = {}, .retry = true});
  REQUIRE(retried);
  CHECK(retried->night.stage == model::Stage::done);
}

TEST_CASE("Pipeline: nightlies of one commit are not bisected, and the report says why", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(2);
  machine.slower["beta"] = {{1, 1.3}};
  Bench bench(folder.path(), machine);
  bench.config().subjects.front().source.repository.clear();
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects.empty());
  CHECK(result->regressions[0].reason == "the subject names no repository to bisect");
  CHECK(result->reports.size() == 1);
}

TEST_CASE("Pipeline: cut off before any effect, it goes on, repeats nothing, and files the same report once",
          "[pipeline]") {
  // Without interruption: what has to be done.
  FakeMachine whole(40);
  whole.slower["beta"] = {{23, 1.25}};
  const TemporaryDirectory whole_folder;
  Bench undisturbed(whole_folder.path(), whole);
  REQUIRE(pipeline::check_night(undisturbed.context()));
  const std::size_t needed = whole.effects.size();
  REQUIRE(needed > 40);

  const TemporaryDirectory folder;
  FakeMachine machine(40);
  machine.slower["beta"] = {{23, 1.25}};
  std::size_t cuts = 0;
  machine.refuse_each_effect_once();
  std::optional<pipeline::NightResult> result;
  while (!result && cuts < 2 * needed) {
    Bench bench(folder.path(), machine);
    auto attempt = pipeline::check_night(bench.context());
    if (attempt) {
      result = std::move(*attempt);
    } else {
      ++cuts;
      REQUIRE(attempt.error().kind == ErrorKind::interrupted);
    }
  }
  REQUIRE(result);
  CHECK(cuts == needed);
  CHECK(machine.effects == whole.effects);  // each effect once, in the same order
  CHECK(result->reports.size() == 1);
  CHECK(result->regressions.at(0).suspects == std::vector{machine.history[23].id});
}

TEST_CASE("Pipeline: a machine that changes in the middle of a night is measured again, and nothing is mixed",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.before_effect = [&](const std::string&) -> Status {
    if (machine.effects.size() < 8) return {};
    return fail(ErrorKind::interrupted, "cut off");
  };
  {
    Bench bench(folder.path(), machine);
    REQUIRE_FALSE(pipeline::check_night(bench.context()));
  }
  machine.before_effect = {};
  machine.facts["kernel"] = "another";
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context()));
  const auto first = bench.stores().runs.find("fake", "2026-01-06/screen");
  REQUIRE(first);
  REQUIRE(first->has_value());
  CHECK_FALSE((*first)->finished);
  const auto runs = bench.stores().runs.runs("fake", 10);
  REQUIRE(runs);
  CHECK(std::any_of(runs->begin(), runs->end(),
                    [](const auto& run) { return run.key.rfind("2026-01-06/screen@", 0) == 0 && run.finished; }));
}

TEST_CASE("Pipeline: the next night is compared with the last one that was checked, also over a gap", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(61);
  machine.days = {0, 20, 40, 60};
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  machine.slower["alpha"] = {{30, 1.3}};  // landed on the day that nobody checked
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(result->night.name == "2026-01-08");
  CHECK(result->night.baseline == "2026-01-06");
  CHECK(result->regressions.at(0).suspects == std::vector{machine.history[30].id});
}

TEST_CASE("Pipeline: a runner that takes over another's database gets one note about it", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(61);
  machine.days = {0, 20, 40, 60};
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  CHECK(bench.notes().empty());
  bench.config().runner.name = "renamed";
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = "2026-01-07", .baseline = {}, .retry = false}));
  CHECK(bench.notes() ==
        std::vector<std::string>{"the last runs of fake are of runner test-runner, and this is runner renamed: each "
                                 "series begins a new history. If the machine was only renamed, set [runner] name = "
                                 "\"test-runner\"; if not, give this runner a state folder of its own"});
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = "2026-01-08", .baseline = {}, .retry = false}));
  CHECK(bench.notes().size() == 1);
}

TEST_CASE("Pipeline: a service that was away checks what it missed, oldest first", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(61);
  machine.days = {0, 20, 40, 60};
  Bench bench(folder.path(), machine);
  CHECK(pipeline::unchecked_nightlies(bench.context()).value() == std::vector<std::string>{"2026-01-08"});
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  CHECK(pipeline::unchecked_nightlies(bench.context()).value() == std::vector<std::string>{"2026-01-07", "2026-01-08"});
}

TEST_CASE("Pipeline: a night that was begun is finished, also when newer nightlies came meanwhile", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(61);
  machine.days = {0, 20, 40};
  Bench bench(folder.path(), machine);
  machine.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::interrupted, "cut off"); };
  REQUIRE_FALSE(pipeline::check_night(bench.context()));
  machine.before_effect = {};
  machine.days = {0, 20, 40, 60};
  CHECK(pipeline::unchecked_nightlies(bench.context()).value() == std::vector<std::string>{"2026-01-07", "2026-01-08"});
  const auto other =
      pipeline::check_night(bench.context(), {.nightly = "2026-01-07", .baseline = "2026-01-05", .retry = false});
  REQUIRE_FALSE(other);
  CHECK(other.error().message.find("was begun with the baseline 2026-01-06") != std::string::npos);
}

TEST_CASE("Pipeline: verdicts that stand are not looked for again, even on a machine that changed", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(40);
  machine.slower["beta"] = {{23, 1.25}};
  machine.before_effect = [](const std::string& effect) -> Status {
    if (effect.rfind("build ", 0) != 0) return {};
    return fail(ErrorKind::interrupted, "cut off in the bisection");
  };
  Bench bench(folder.path(), machine);
  REQUIRE_FALSE(pipeline::check_night(bench.context()));
  const auto measured = machine.effects.size();
  machine.before_effect = {};
  machine.facts["kernel"] = "another";
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(machine.effects.at(measured).rfind("build ", 0) == 0);  // it went on there
  CHECK(result->regressions.at(0).suspects == std::vector{machine.history[23].id});
}

TEST_CASE("Pipeline: wrong names are refused with what is there", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(10);
  Bench bench(folder.path(), machine);
  const auto unknown =
      pipeline::check_night(bench.context(), {.nightly = "2026-01-99", .baseline = {}, .retry = false});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  CHECK(unknown.error().message.find("did you mean '2026-01-0") != std::string::npos);
  CHECK_FALSE(pipeline::check_night(bench.context(), {.nightly = "2026-01-05", .baseline = {}, .retry = false}));
  CHECK_FALSE(
      pipeline::check_night(bench.context(), {.nightly = "2026-01-06", .baseline = "2026-01-06", .retry = false}));
  bench.config().measure.benchmarks = {"alpa"};
  const auto benchmark = pipeline::check_night(bench.context());
  REQUIRE_FALSE(benchmark);
  CHECK(benchmark.error().message.find("did you mean 'alpha'") != std::string::npos);
  CHECK(machine.effects == std::vector<std::string>{"install 2026-01-05", "install 2026-01-06"});
}

TEST_CASE("Pipeline: reports reach the folder, and a second delivery adds nothing", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.slower["beta"] = {{11, 1.3}};
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context()));
  const auto first = pipeline::deliver_reports(bench.stores(), bench.config(), bench.context().clock, {});
  REQUIRE(first);
  CHECK(first->delivered == 1);
  const auto second = pipeline::deliver_reports(bench.stores(), bench.config(), bench.context().clock, {});
  REQUIRE(second);
  CHECK(second->delivered == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "issues"))
    files += entry.path().extension() == ".md" ? 1 : 0;
  CHECK(files == 1);
}

}  // namespace tbci::pipeline_test
