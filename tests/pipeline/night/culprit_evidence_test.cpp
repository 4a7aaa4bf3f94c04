#include "pipeline/night/culprit_evidence.hpp"

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::culprit_evidence_test {

using namespace tbci::test;

namespace {

std::vector<std::string> effects_of(const FakeMachine& machine, const std::string& kind) {
  std::vector<std::string> found;
  for (const std::string& effect : machine.effects) {
    if (effect.starts_with(kind)) found.push_back(effect);
  }
  return found;
}

std::vector<std::string> profiles_in(const FakeMachine& machine) {
  return effects_of(machine, "profile ");
}

// Two iterations that convert the same weight; some zero ten gradients one by one.
model::Timeline timeline_with_zeroing(bool zeroes, std::int64_t converts = 4000) {
  made_timeline::MadeTimeline made;
  const auto weight = made.tensor(1000, {500});
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 1000000;
    made.iteration(begin, 96000 + converts);
    made.call("aten.to.dtype", begin, converts, {weight}, {made.tensor(2000 + turn, {500})});
    for (int i = 0; zeroes && i < 10; ++i) {
      const auto gradient = made.tensor(i + 1, {25});
      made.call("aten.zero_.default", begin + 40000 + i * 1000, 500, {gradient}, {gradient}).inputs[0].written = true;
    }
  }
  return made.timeline();
}

// The text of the only report of a night in which a commit slowed beta.
std::string report_body(FakeMachine& machine) {
  const TemporaryDirectory folder;
  machine.slower["beta"] = {{11, 1.3}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  return result->reports[0].body;
}

}  // namespace

TEST_CASE("Culprit evidence: it is compared with its parent, and the report shows what changed", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.suite = {"alpha", "beta"};
  machine.slower["alpha"] = {{42, 1.15}};
  machine.slower["beta"] = {{42, 1.3}};
  // The commit before the culprit changes nothing that is compiled: what was built is the one before that.
  machine.history[41].inputs = machine.history[40].inputs;
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  const auto profiles = profiles_in(machine);
  REQUIRE(profiles.size() == 10);
  CHECK(profiles[0] == "profile " + machine.history[40].id + " beta/cpu-infer");  // the worst of the two
  CHECK(profiles[1] == "profile " + machine.history[42].id + " beta/cpu-infer");
  const std::string& body = result->reports[0].body;
  CHECK(body.find("### Operators that changed") != std::string::npos);
  CHECK(body.find("| aten.mm.default | 6 ms | 9 ms | +3 ms | 100% | 12 |") != std::string::npos);
  CHECK(body.find("relu") == std::string::npos);
}

TEST_CASE("Culprit evidence: workers that know no profile keep no report back", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.profiles = false;
  machine.slower["beta"] = {{11, 1.3}};
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find("Operators that changed") == std::string::npos);
  CHECK(profiles_in(machine).size() == 1);  // what fails once is not asked for four times more
}

TEST_CASE("Culprit evidence: where no commit is the culprit nothing is profiled", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.25}};
  machine.unbuildable = {41, 42};
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::check_night(bench.context()));
  CHECK(profiles_in(machine).empty());
}

TEST_CASE("Culprit evidence: only time has operators and hints, a leak has none", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  Bench bench(folder.path(), machine);
  model::Bisection bisection;
  bisection.from = machine.history.front().id;
  bisection.to = machine.history.back().id;
  model::Regression leak;
  leak.finding.series = {"beta", model::Configuration::cpu_infer, model::Metric::cpu_leak};
  leak.suspects = {machine.history[2].id};
  pipeline::ReportGroup group{.suspects = leak.suspects, .regressions = {leak}, .operators = {}};
  REQUIRE(pipeline::add_culprit_evidence(bench.context(), &bisection, group));
  CHECK_FALSE(group.operators);
  CHECK_FALSE(group.hints);
  CHECK(machine.effects.empty());
}

TEST_CASE("Culprit evidence: the report shows the hints that the culprit added, and no other", "[pipeline]") {
  FakeMachine machine(20);
  machine.recorded = [](std::size_t commit) { return timeline_with_zeroing(commit >= 11); };
  const std::string body = report_body(machine);
  INFO(body);
  CHECK(body.find("### Hints\n\nWhat the culprit added to beta (cpu-infer)") != std::string::npos);
  CHECK(body.find("| small calls in a row | aten.zero\\_.default | 10 (was 0) | 3.9% | do it in one call") !=
        std::string::npos);
  CHECK(body.find("same copy") == std::string::npos);  // both builds have it
  const auto recorded = effects_of(machine, "timeline ");
  REQUIRE(recorded.size() == 6);
  CHECK(recorded[0] == "timeline " + machine.history[10].id + " beta/cpu-infer");
  CHECK(recorded[1] == "timeline " + machine.history[11].id + " beta/cpu-infer");
  CHECK(recorded[4] == recorded[0]);
}

TEST_CASE("Culprit evidence: a culprit that adds no hint has no section, nor one that cannot be recorded",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.slower["beta"] = {{11, 1.3}};
  SECTION("the same calls as before") {
    machine.recorded = [](std::size_t) { return timeline_with_zeroing(true); };
  }
  SECTION("a timeline that was cut off") {
    machine.recorded = [](std::size_t) {
      model::Timeline timeline = timeline_with_zeroing(true);
      timeline.cut_off = true;
      return timeline;
    };
  }
  SECTION("workers that know no timeline") {}
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find("### Hints") == std::string::npos);
  CHECK(result->reports[0].body.find("### Operators that changed") != std::string::npos);
}

TEST_CASE("Culprit evidence: the report says where the step lies, unless the recordings hardly show one",
          "[pipeline]") {
  FakeMachine machine(20);
  const std::int64_t slow = GENERATE(34000, 5000, 2000);
  machine.recorded = [slow](std::size_t commit) { return timeline_with_zeroing(false, commit >= 11 ? slow : 4000); };
  const std::string body = report_body(machine);
  INFO(body);
  CHECK((body.find("### Where the step lies\n\nAn iteration of beta (cpu-infer)") != std::string::npos) ==
        (slow == 34000));
  CHECK((body.find("**kernel**: aten.to.dtype takes longer in itself (100% of the step).") != std::string::npos) ==
        (slow == 34000));
}

}  // namespace tbci::culprit_evidence_test
