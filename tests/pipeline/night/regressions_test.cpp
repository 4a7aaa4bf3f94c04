// What becomes of a regression in the nights after the one that found it.
#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/reporting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::regressions_test {

using namespace tbci::test;
using model::Standing;

namespace {

std::vector<model::Regression> all_of(Nights& nights) {
  return nights.bench->stores().nights.latest_regressions("fake", 100).value();
}

pipeline::DecisionBy ada(const std::string& reason = "because") {
  return {.person = "ada", .reason = reason, .now = TimePoint(std::chrono::hours(1))};
}

}  // namespace

TEST_CASE("Regressions: one that is gone for three nights has recovered, and nobody is asked again", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 6);
  REQUIRE(all_of(nights).size() == 1);
  nights.check_all(7, 10);  // two nights without it
  CHECK(all_of(nights).front().standing == Standing::open);
  nights.check(11);
  REQUIRE(all_of(nights).size() == 1);
  const auto recovered = all_of(nights).front();
  CHECK(recovered.standing == Standing::recovered);
  const auto why = nights.bench->stores().decisions.of_regression(recovered.id).value();
  REQUIRE(why.size() == 1);
  CHECK(why[0].person == "tbci");
  CHECK(why[0].reason.find("on 3 nights") != std::string::npos);
  CHECK(nights.bench->stores().nights.open_regressions("fake").value().empty());
}

TEST_CASE("Regressions: one that stays costs no measurement, and stays open", "[nights]") {
  Nights nights(14);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 12);
  REQUIRE(all_of(nights).size() == 1);
  CHECK(all_of(nights).front().standing == Standing::open);
  for (const std::string& effect : nights.machine.effects)
    CHECK(effect.find(nights.machine.history[3 * commits_a_day].id) == std::string::npos);
}

TEST_CASE("Regressions: two series of one culprit with different old builds share one report", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{12 * commits_a_day - 2, 1.25}};
  nights.check_all(1, 11);
  REQUIRE(nights.check(12).reports.size() == 1);
  const auto report = nights.bench->stores().reports.list("fake", 5).value();
  REQUIRE(report.size() == 1);
  CHECK(report[0].body.find("alpha") == std::string::npos);
  // A later night attributes another series to the same commit.
  model::Regression late =
      nights.bench->stores()
          .nights
          .add_regression(nights.bench->stores().nights.find("fake", nights.machine.name_of(12)).value()->id,
                          {.series = {"alpha", model::Configuration::cpu_infer, model::Metric::time},
                           .verdict = model::Verdict::regression,
                           .before = 1e6,
                           .after = 1.2e6,
                           .change = 0.2,
                           .low = 0.15,
                           .high = 0.25,
                           .pairs = 8,
                           .reason = "1 ms became 1.2 ms"})
          .value();
  late.suspects = {nights.commit(12 * commits_a_day - 2)};
  late.state = model::RegressionState::attributed;
  REQUIRE(nights.bench->stores().nights.update(late));
  REQUIRE(pipeline::file_reports(nights.bench->context(),
                                 {.night = nights.machine.name_of(12),
                                  .baseline = nights.machine.name_of(9),
                                  .bisection = nullptr,
                                  .environment = {}},
                                 {late}));
  const auto merged = nights.bench->stores().reports.list("fake", 5).value();
  REQUIRE(merged.size() == 1);
  CHECK(merged[0].revision == 2);
  CHECK(merged[0].body.find("alpha") != std::string::npos);
  CHECK(merged[0].body.find("beta") != std::string::npos);
  CHECK(nights.bench->stores().reports.due(TimePoint::max()).value().size() == 1);
}

TEST_CASE("Regressions: without a culprit each series keeps its own reason in the report", "[nights]") {
  Nights nights(3);
  const auto night = nights.bench->stores().nights.begin({"fake", "2026-01-06", "2026-01-05"}, TimePoint{}).value();
  std::vector<model::Regression> both;
  for (const char* name : {"alpha", "beta"}) {
    auto one = nights.bench->stores()
                   .nights
                   .add_regression(night.id, {.series = {name, model::Configuration::cpu_infer, model::Metric::time},
                                              .verdict = model::Verdict::regression,
                                              .before = 1e6,
                                              .after = 1.2e6,
                                              .change = 0.2,
                                              .low = 0.15,
                                              .high = 0.25,
                                              .pairs = 8,
                                              .reason = ""})
                   .value();
    one.state = model::RegressionState::unattributed;
    one.reason = std::string("the reason of ") + name;
    both.push_back(one);
  }
  const auto report =
      pipeline::draft_report(nights.bench->context(),
                             {.night = "2026-01-06", .baseline = "2026-01-05", .bisection = nullptr, .environment = {}},
                             {.regressions = both, .operators = {}});
  REQUIRE(report);
  CHECK(report->body.find("the reason of alpha") != std::string::npos);
  CHECK(report->body.find("the reason of beta") != std::string::npos);
}

TEST_CASE("Regressions: a muted series is kept as dismissed, and neither searched nor reported", "[nights]") {
  Nights nights(4);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.25}};
  const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};
  REQUIRE(pipeline::mute_series(nights.bench->stores(), "fake", beta, TimePoint::max(), ada("its data moves")));
  nights.check(1);
  const auto result = nights.check(2);
  CHECK(result.reports.empty());
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].standing == Standing::dismissed);
  for (const std::string& effect : nights.machine.effects) CHECK(effect.find("build") == std::string::npos);
}

TEST_CASE("Regressions: persons accept, dismiss and reopen, once each and with a reason", "[nights]") {
  Nights nights(4);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 2);
  const auto id = all_of(nights).front().id;
  storage::Stores& stores = nights.bench->stores();
  CHECK(pipeline::accept_regression(stores, id, ada(" "), false).error().kind == ErrorKind::usage);
  CHECK(pipeline::accept_regression(stores, id, ada(), true).error().message.find("no anchor") != std::string::npos);
  CHECK(all_of(nights).front().standing == Standing::open);
  CHECK(pipeline::reopen_regression(stores, id, ada()).error().kind == ErrorKind::usage);
  REQUIRE(pipeline::accept_regression(stores, id, ada(), false));
  CHECK(all_of(nights).front().standing == Standing::accepted);
  CHECK(pipeline::dismiss_regression(stores, id, ada()).error().kind == ErrorKind::usage);
  REQUIRE(pipeline::reopen_regression(stores, id, ada()));
  REQUIRE(pipeline::dismiss_regression(stores, id, ada("noise")));
  CHECK(all_of(nights).front().standing == Standing::dismissed);
  CHECK(stores.decisions.of_regression(id).value().size() == 3);
  CHECK(pipeline::mute_series(stores, "fake", all_of(nights).front().finding.series, TimePoint{}, ada()).error().kind ==
        ErrorKind::usage);
}

}  // namespace tbci::regressions_test
