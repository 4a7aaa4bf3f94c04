#include "pipeline/bisect/reverting.hpp"

#include "pipeline/bisect/bisecting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::reverting_test {

using namespace tbci::test;

namespace {

const model::Series beta = {"beta", model::Configuration::cpu_infer, model::Metric::time};

model::Bisection searched(Bench& bench, const FakeMachine& machine) {
  const auto found = pipeline::bisect_range(
      bench.context(),
      {.key = "by hand", .from = machine.history.front().id, .to = machine.history.back().id, .series = {beta}});
  REQUIRE(found);
  REQUIRE(found->answers.at(0).suspects == std::vector{machine.history[42].id});
  return *found;
}

}  // namespace

TEST_CASE("Reverting: the newest commit is compared with the same one without the culprit", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.3}};
  Bench bench(folder.path(), machine);
  const model::Bisection bisection = searched(bench, machine);
  const auto checks = pipeline::verify_reverts(bench.context(), bisection);
  REQUIRE(checks);
  REQUIRE(checks->size() == 1);
  const pipeline::RevertCheck& check = checks->front();
  CHECK(check.culprit == machine.history[42].id);
  CHECK(check.commit.size() == 40);
  REQUIRE(check.findings.size() == 1);
  CHECK(check.findings[0].verdict == model::Verdict::improvement);
  CHECK(check.findings[0].change == test::Approx(1 / 1.3 - 1).margin(0.02));
  CHECK(pipeline::lines_of(*checks).find("it was the culprit") != std::string::npos);

  const std::size_t effects = machine.effects.size();
  REQUIRE(pipeline::verify_reverts(bench.context(), bisection));
  CHECK(machine.effects.size() == effects);  // what was measured once is not measured again
}

TEST_CASE("Reverting: a culprit that does not explain it is told apart", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.3}};
  Bench bench(folder.path(), machine);
  model::Bisection bisection = searched(bench, machine);
  bisection.answers[0].suspects = bisection.answers[0].steps[0].suspects = {machine.history[50].id};
  const auto checks = pipeline::verify_reverts(bench.context(), bisection);
  REQUIRE(checks);
  CHECK(checks->at(0).findings.at(0).verdict == model::Verdict::clear);
  CHECK(pipeline::lines_of(*checks).find("the revert changes it by less than the threshold") != std::string::npos);
}

TEST_CASE("Reverting: what conflicts, and culprits that cannot be told apart, are not measured", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.3}};
  machine.conflicting = {42};
  Bench bench(folder.path(), machine);
  model::Bisection bisection = searched(bench, machine);
  const auto checks = pipeline::verify_reverts(bench.context(), bisection);
  REQUIRE(checks);
  REQUIRE(checks->size() == 1);
  CHECK(checks->front().commit.empty());
  CHECK(checks->front().reason == "taking it back conflicts");
  bisection.answers[0].steps[0].suspects = {machine.history[41].id, machine.history[42].id};
  CHECK(pipeline::verify_reverts(bench.context(), bisection)->empty());
}

TEST_CASE("Reverting: an inconclusive revert is not called no better", "[pipeline]") {
  model::Finding finding;
  finding.series = beta;
  finding.verdict = model::Verdict::inconclusive;
  finding.reason = "too noisy";
  const std::string text = pipeline::lines_of({{"abcdef", "fedcba", "", {finding}}});
  CHECK(text.find("tbci cannot tell: too noisy") != std::string::npos);
  CHECK(text.find("less than the threshold") == std::string::npos);
}

}  // namespace tbci::reverting_test
