#include "pipeline/measure/break_confirming.hpp"

#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/night/reporting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::break_confirming_test {

using namespace tbci::test;

using model::Outcome;
using model::Verdict;

namespace {

struct ComparedByHand {
  TemporaryDirectory folder;
  FakeMachine machine;
  std::optional<Bench> bench;

  explicit ComparedByHand(int commits) : machine(commits) {
    machine.broken["beta"] = Outcome::crashed;
    machine.broken_from = 1;
    bench.emplace(folder.path(), machine);
  }

  model::Build built(std::size_t commit) {
    return pipeline::build_commit(bench->context(), machine.history[commit].id).value();
  }

  std::vector<model::Finding> breaks_between(std::size_t from, std::size_t to, const std::string& key = "by hand") {
    pipeline::ComparisonPlan plan{.key = key, .builds = {built(from), built(to)}, .cases = {}};
    plan.cases = pipeline::wanted_cases(bench->context(), plan.builds.after.product).value();
    const auto screen = pipeline::screen_builds(bench->context(), plan).value();
    return pipeline::confirm_breaks(bench->context(), plan, screen).value();
  }
};

}  // namespace

TEST_CASE("Break confirmation: a comparison by hand finds the case that fails, with the reason", "[confirm]") {
  ComparedByHand by_hand(2);
  const auto findings = by_hand.breaks_between(0, 1);
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].series) == "beta/cpu-infer/outcome");
  CHECK(findings[0].verdict == Verdict::regression);
  CHECK(findings[0].before == 0);
  CHECK(findings[0].after == 1);
  CHECK(findings[0].reason.find("killed by SIGSEGV") != std::string::npos);
}

TEST_CASE("Break confirmation: a case that fails on both builds is not a break", "[confirm]") {
  ComparedByHand by_hand(3);
  CHECK(by_hand.breaks_between(1, 2).empty());
}

TEST_CASE("Break confirmation: what fails now and then on both builds did not break where it fails on one by chance",
          "[confirm]") {
  ComparedByHand by_hand(3);
  by_hand.machine.broken.clear();
  by_hand.machine.suite = {"beta"};
  by_hand.machine.crashing[1] = 1000;
  by_hand.breaks_between(0, 1);
  by_hand.machine.crashing[1] = 0;
  by_hand.machine.crashing[2] = 1000;
  const auto findings = by_hand.breaks_between(1, 2, "once more");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::clear);
  CHECK(findings[0].before > 0.3);
  CHECK(findings[0].after == 1);
}

TEST_CASE("Break confirmation: what fails on another runner as well says nothing of this one", "[confirm]") {
  ComparedByHand by_hand(3);
  by_hand.machine.broken.clear();
  by_hand.machine.suite = {"beta"};
  const std::string here = std::exchange(by_hand.bench->config().runner.name, "one with less memory");
  by_hand.machine.crashing[1] = 1000;
  by_hand.breaks_between(0, 1);
  by_hand.bench->config().runner.name = here;
  by_hand.machine.crashing[1] = 0;
  by_hand.machine.crashing[2] = 1000;
  const auto findings = by_hand.breaks_between(1, 2, "here");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::regression);
}

TEST_CASE("Break confirmation: a comparison that goes on measures no process twice", "[confirm]") {
  ComparedByHand by_hand(2);
  const auto first = by_hand.breaks_between(0, 1);
  const std::size_t effects = by_hand.machine.effects.size();
  const auto second = by_hand.breaks_between(0, 1);
  REQUIRE(second.size() == 1);
  CHECK(second[0].reason == first[0].reason);
  CHECK(by_hand.machine.effects.size() == effects);
}

TEST_CASE("Break confirmation: the report of a search by hand has the first error at its bad end", "[confirm]") {
  ComparedByHand by_hand(4);
  by_hand.machine.broken_from = 2;
  pipeline::SubjectContext& context = by_hand.bench->context();
  const model::Series series = {"beta", model::Configuration::cpu_infer, model::Metric::outcome};
  const auto bisection = pipeline::bisect_range(context, {.key = "by hand",
                                                          .from = by_hand.machine.history[0].id,
                                                          .to = by_hand.machine.history[3].id,
                                                          .series = {series}});
  REQUIRE(bisection);
  REQUIRE(bisection->answers.size() == 1);
  CHECK(bisection->answers[0].suspects == std::vector{by_hand.machine.history[2].id});
  model::Regression regression;
  regression.finding.series = series;
  regression.suspects = bisection->answers[0].suspects;
  const auto report =
      pipeline::draft_report(context, {.night = "", .baseline = "", .bisection = &*bisection, .environment = ""},
                             {.suspects = regression.suspects, .regressions = {regression}, .operators = {}});
  REQUIRE(report);
  CHECK(report->body.find("killed by SIGSEGV") != std::string::npos);
  CHECK(report->body.find("frame #0: kernel + 0x12") != std::string::npos);
}

}  // namespace tbci::break_confirming_test
