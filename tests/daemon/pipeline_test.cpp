#include "daemon/pipeline/pipeline.hpp"

#include <algorithm>

#include "daemon/pipeline/delivering.hpp"
#include "tests/catch.hpp"
#include "tests/daemon/bench.hpp"

namespace tbci::test {

using model::Verdict;

namespace {

Verdict verdict_of(const daemon::NightResult& result, const std::string& series) {
  for (const model::Finding& finding : result.findings) {
    if (to_string(finding.series) == series) return finding.verdict;
  }
  FAIL("no finding of " + series);
  return {};
}

}  // namespace

TEST_CASE("Pipeline: a slowdown is confirmed, bisected to its commit, and filed once", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.2}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(result->night.stage == model::Stage::done);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::clear);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{workshop.history[42].id});
  CHECK(result->regressions[0].state == model::RegressionState::reported);
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find(workshop.history[42].id.substr(0, 10)) != std::string::npos);
  const auto bisection = bench.stores().bisections.get(*result->regressions[0].bisection_id);
  REQUIRE(bisection);
  CHECK(bisection->builds <= 9);  // ceil(log2(70)) = 7, and the ends
  CHECK(bisection->measurements > 0);
}

TEST_CASE("Pipeline: builds that bring the same BLAS are not the same binary", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.2}};
  workshop.own_libraries[0] = workshop.own_libraries[70] = {{"library.blas", "libopenblas.so.0 3f2a91c0b3d27e11"}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
}

TEST_CASE("Pipeline: a clean day files nothing and asks for no bisection", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(result->regressions.empty());
  CHECK(result->reports.empty());
  CHECK(std::none_of(workshop.effects.begin(), workshop.effects.end(),
                     [](const auto& e) { return e.rfind("build ", 0) == 0; }));
}

TEST_CASE("Pipeline: a change under the threshold is not filed, however certain", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.noise = 0.003;
  workshop.slower["alpha"] = {{30, 1.055}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::clear);
  CHECK(result->reports.empty());
}

TEST_CASE("Pipeline: the screen goes over all cases before it measures one again", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk()));
  std::vector<std::string> order;
  for (const std::string& effect : workshop.effects) {
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
  FakeWorkshop workshop(71);
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk()));
  CHECK(workshop.growths == 4);  // two benchmarks on two builds

  const TemporaryDirectory other;
  FakeWorkshop leaking(71);
  leaking.leaking["beta"] = {{42, 1040}};
  Bench second(other.path(), leaking);
  const auto result = daemon::check_night(second.desk());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/cpu_leak") == Verdict::regression);
  CHECK(verdict_of(*result, "alpha/cpu-infer/cpu_leak") == Verdict::clear);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{leaking.history[42].id});
}

TEST_CASE("Pipeline: a growth whose interval does not leave the old one's is no leak", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.leaking["beta"] = {{42, 100000}};
  workshop.growth_half_width = 60000;
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(verdict_of(*result, "beta/cpu-infer/cpu_leak") == Verdict::clear);
}

TEST_CASE("Pipeline: two culprits of one day make two reports, two series of one culprit make one", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.suite = {"alpha", "beta", "gamma"};
  workshop.slower["alpha"] = {{20, 1.2}};
  workshop.slower["beta"] = {{50, 1.3}};
  workshop.slower["gamma"] = {{50, 1.15}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 2);
  REQUIRE(result->regressions.size() == 3);  // the worst first, as they were confirmed
  CHECK(result->regressions[0].suspects == std::vector{workshop.history[50].id});
  CHECK(result->regressions[1].suspects == std::vector{workshop.history[20].id});
  CHECK(result->regressions[2].suspects == std::vector{workshop.history[50].id});
  CHECK(*result->regressions[0].report_id == *result->regressions[2].report_id);
  CHECK(*result->regressions[0].report_id != *result->regressions[1].report_id);
}

TEST_CASE("Pipeline: commits that do not build leave a set that can't be told apart", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.25}};
  workshop.unbuildable = {41, 42};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects ==
        std::vector{workshop.history[41].id, workshop.history[42].id, workshop.history[43].id});
  CHECK(result->reports.size() == 1);
}

TEST_CASE("Pipeline: a model that crashes on the new build alone is said to, and the others are judged", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.broken["alpha"] = model::Outcome::crashed;
  workshop.broken_from = 10;
  workshop.slower["beta"] = {{42, 1.25}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(verdict_of(*result, "alpha/cpu-infer/time") == Verdict::inconclusive);
  CHECK(verdict_of(*result, "beta/cpu-infer/time") == Verdict::regression);
  CHECK(result->reports.size() == 1);
}

TEST_CASE("Pipeline: a nightly that does not install is a failed night, and the next call does not try it again",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.unbuildable = {70};
  Bench bench(folder.path(), workshop);
  CHECK_FALSE(daemon::check_night(bench.desk()));
  const auto effects = workshop.effects.size();
  const auto again = daemon::check_night(bench.desk());
  REQUIRE(again);
  CHECK(again->checked_before);
  CHECK(again->night.stage == model::Stage::failed);
  CHECK(workshop.effects.size() == effects);
  // It was the machine after all: a person may ask for another try.
  workshop.unbuildable.clear();
  const auto retried = daemon::check_night(bench.desk(), {.nightly = {}, .baseline = {}, .retry = true});
  REQUIRE(retried);
  CHECK(retried->night.stage == model::Stage::done);
}

TEST_CASE("Pipeline: nightlies of one commit are not bisected, and the report says why", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(2);
  workshop.slower["beta"] = {{1, 1.3}};
  Bench bench(folder.path(), workshop);
  bench.config().subjects.front().subject.source.repository.clear();
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects.empty());
  CHECK(result->regressions[0].reason == "the subject names no repository to bisect");
  CHECK(result->reports.size() == 1);
}

TEST_CASE("Pipeline: cut off before any effect, it goes on, repeats nothing, and files the same report once",
          "[pipeline]") {
  // Without interruption: what has to be done.
  FakeWorkshop whole(40);
  whole.slower["beta"] = {{23, 1.25}};
  const TemporaryDirectory whole_folder;
  Bench undisturbed(whole_folder.path(), whole);
  REQUIRE(daemon::check_night(undisturbed.desk()));
  const std::size_t needed = whole.effects.size();
  REQUIRE(needed > 40);

  const TemporaryDirectory folder;
  FakeWorkshop workshop(40);
  workshop.slower["beta"] = {{23, 1.25}};
  std::size_t cuts = 0;
  workshop.refuse_each_effect_once();
  std::optional<daemon::NightResult> result;
  while (!result && cuts < 2 * needed) {
    Bench bench(folder.path(), workshop);
    auto attempt = daemon::check_night(bench.desk());
    if (attempt) {
      result = std::move(*attempt);
    } else {
      ++cuts;
      REQUIRE(attempt.error().kind == ErrorKind::interrupted);
    }
  }
  REQUIRE(result);
  CHECK(cuts == needed);
  CHECK(workshop.effects == whole.effects);  // each effect once, in the same order
  CHECK(result->reports.size() == 1);
  CHECK(result->regressions.at(0).suspects == std::vector{workshop.history[23].id});
}

TEST_CASE("Pipeline: a machine that changes in the middle of a night is measured anew, and nothing is mixed",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(20);
  workshop.before_effect = [&](const std::string&) -> Status {
    if (workshop.effects.size() < 8) return {};
    return fail(ErrorKind::interrupted, "cut off");
  };
  {
    Bench bench(folder.path(), workshop);
    REQUIRE_FALSE(daemon::check_night(bench.desk()));
  }
  workshop.before_effect = {};
  workshop.machine["kernel"] = "another";
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk()));
  const auto first = bench.stores().runs.find("fake", "2026-01-06/screen");
  REQUIRE(first);
  REQUIRE(first->has_value());
  CHECK_FALSE((*first)->finished);
  const auto runs = bench.stores().runs.runs("fake", 10);
  REQUIRE(runs);
  CHECK(std::any_of(runs->begin(), runs->end(),
                    [](const auto& run) { return run.key.rfind("2026-01-06/screen@", 0) == 0 && run.finished; }));
}

TEST_CASE("Pipeline: the next night is held against the last one that was checked, also over a gap", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(61);
  workshop.days = {0, 20, 40, 60};
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  workshop.slower["alpha"] = {{30, 1.3}};  // landed on the day that nobody checked
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(result->night.name == "2026-01-08");
  CHECK(result->night.baseline == "2026-01-06");
  CHECK(result->regressions.at(0).suspects == std::vector{workshop.history[30].id});
}

TEST_CASE("Pipeline: a service that was away checks what it missed, oldest first", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(61);
  workshop.days = {0, 20, 40, 60};
  Bench bench(folder.path(), workshop);
  CHECK(daemon::unchecked_nightlies(bench.desk()).value() == std::vector<std::string>{"2026-01-08"});
  REQUIRE(daemon::check_night(bench.desk(), {.nightly = "2026-01-06", .baseline = {}, .retry = false}));
  CHECK(daemon::unchecked_nightlies(bench.desk()).value() == std::vector<std::string>{"2026-01-07", "2026-01-08"});
}

TEST_CASE("Pipeline: a night that was begun is finished, also when newer nightlies came meanwhile", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(61);
  workshop.days = {0, 20, 40};
  Bench bench(folder.path(), workshop);
  workshop.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::interrupted, "cut off"); };
  REQUIRE_FALSE(daemon::check_night(bench.desk()));
  workshop.before_effect = {};
  workshop.days = {0, 20, 40, 60};
  CHECK(daemon::unchecked_nightlies(bench.desk()).value() == std::vector<std::string>{"2026-01-07", "2026-01-08"});
  const auto other =
      daemon::check_night(bench.desk(), {.nightly = "2026-01-07", .baseline = "2026-01-05", .retry = false});
  REQUIRE_FALSE(other);
  CHECK(other.error().message.find("was begun against 2026-01-06") != std::string::npos);
}

TEST_CASE("Pipeline: verdicts that stand are not looked for again, even on a machine that changed", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(40);
  workshop.slower["beta"] = {{23, 1.25}};
  workshop.before_effect = [](const std::string& effect) -> Status {
    if (effect.rfind("build ", 0) != 0) return {};
    return fail(ErrorKind::interrupted, "cut off in the bisection");
  };
  Bench bench(folder.path(), workshop);
  REQUIRE_FALSE(daemon::check_night(bench.desk()));
  const auto measured = workshop.effects.size();
  workshop.before_effect = {};
  workshop.machine["kernel"] = "another";
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  CHECK(workshop.effects.at(measured).rfind("build ", 0) == 0);  // it went on there
  CHECK(result->regressions.at(0).suspects == std::vector{workshop.history[23].id});
}

TEST_CASE("Pipeline: wrong names are refused with what is there", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(10);
  Bench bench(folder.path(), workshop);
  const auto unknown = daemon::check_night(bench.desk(), {.nightly = "2026-01-99", .baseline = {}, .retry = false});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  CHECK(unknown.error().message.find("did you mean '2026-01-0") != std::string::npos);
  CHECK_FALSE(daemon::check_night(bench.desk(), {.nightly = "2026-01-05", .baseline = {}, .retry = false}));
  CHECK_FALSE(daemon::check_night(bench.desk(), {.nightly = "2026-01-06", .baseline = "2026-01-06", .retry = false}));
  bench.config().measure.benchmarks = {"alpa"};
  const auto benchmark = daemon::check_night(bench.desk());
  REQUIRE_FALSE(benchmark);
  CHECK(benchmark.error().message.find("did you mean 'alpha'") != std::string::npos);
  CHECK(workshop.effects == std::vector<std::string>{"install 2026-01-05", "install 2026-01-06"});
}

TEST_CASE("Pipeline: reports reach the folder, and a second delivery adds nothing", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(20);
  workshop.slower["beta"] = {{11, 1.3}};
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk()));
  const auto first = daemon::deliver_reports(bench.stores(), bench.config(), bench.desk().clock, {});
  REQUIRE(first);
  CHECK(first->delivered == 1);
  const auto second = daemon::deliver_reports(bench.stores(), bench.config(), bench.desk().clock, {});
  REQUIRE(second);
  CHECK(second->delivered == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "issues"))
    files += entry.path().extension() == ".md" ? 1 : 0;
  CHECK(files == 1);
}

}  // namespace tbci::test
