#include "daemon/pipeline/reverting.hpp"

#include "daemon/pipeline/bisecting.hpp"
#include "tests/catch.hpp"
#include "tests/daemon/bench.hpp"

namespace tbci::test {

namespace {

const model::Series beta = {"beta", model::Configuration::cpu_infer, model::Metric::time};

model::Bisection searched(Bench& bench, const FakeWorkshop& workshop) {
  const auto found = daemon::search_culprits(
      bench.desk(),
      {.key = "by hand", .from = workshop.history.front().id, .to = workshop.history.back().id, .series = {beta}});
  REQUIRE(found);
  REQUIRE(found->answers.at(0).suspects == std::vector{workshop.history[42].id});
  return *found;
}

}  // namespace

TEST_CASE("Reverting: the newest commit without the culprit is measured beside itself", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.3}};
  Bench bench(folder.path(), workshop);
  const model::Bisection bisection = searched(bench, workshop);
  const auto checks = daemon::verify_reverts(bench.desk(), bisection);
  REQUIRE(checks);
  REQUIRE(checks->size() == 1);
  const daemon::RevertCheck& check = checks->front();
  CHECK(check.culprit == workshop.history[42].id);
  CHECK(check.commit.size() == 40);
  REQUIRE(check.findings.size() == 1);
  CHECK(check.findings[0].verdict == model::Verdict::improvement);
  CHECK(check.findings[0].change == test::Approx(1 / 1.3 - 1).margin(0.02));
  CHECK(daemon::lines_of(*checks).find("it was the culprit") != std::string::npos);

  const std::size_t effects = workshop.effects.size();
  REQUIRE(daemon::verify_reverts(bench.desk(), bisection));
  CHECK(workshop.effects.size() == effects);  // what was measured once is not measured again
}

TEST_CASE("Reverting: a culprit that does not explain it is told apart", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.3}};
  Bench bench(folder.path(), workshop);
  model::Bisection bisection = searched(bench, workshop);
  bisection.answers[0].suspects = bisection.answers[0].steps[0].suspects = {workshop.history[50].id};
  const auto checks = daemon::verify_reverts(bench.desk(), bisection);
  REQUIRE(checks);
  CHECK(checks->at(0).findings.at(0).verdict == model::Verdict::clear);
  CHECK(daemon::lines_of(*checks).find("no change over the threshold") != std::string::npos);
}

TEST_CASE("Reverting: what conflicts, and culprits that cannot be told apart, are not measured", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.3}};
  workshop.conflicting = {42};
  Bench bench(folder.path(), workshop);
  model::Bisection bisection = searched(bench, workshop);
  const auto checks = daemon::verify_reverts(bench.desk(), bisection);
  REQUIRE(checks);
  REQUIRE(checks->size() == 1);
  CHECK(checks->front().commit.empty());
  CHECK(checks->front().reason == "taking it back conflicts");
  bisection.answers[0].steps[0].suspects = {workshop.history[41].id, workshop.history[42].id};
  CHECK(daemon::verify_reverts(bench.desk(), bisection)->empty());
}

TEST_CASE("Reverting: what could not be decided is not said to be no better", "[pipeline]") {
  model::Finding finding;
  finding.series = beta;
  finding.verdict = model::Verdict::inconclusive;
  finding.reason = "too noisy";
  const std::string text = daemon::lines_of({{"abcdef", "fedcba", "", {finding}}});
  CHECK(text.find("cannot be told: too noisy") != std::string::npos);
  CHECK(text.find("no change") == std::string::npos);
}

}  // namespace tbci::test
