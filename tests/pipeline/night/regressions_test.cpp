// What becomes of a regression in the nights after the one that found it.
#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/reporting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::regressions_test {

using namespace tbci::test;
using model::Standing;

namespace {

pipeline::DecisionBy ada(const std::string& reason = "because") {
  return {.person = "ada", .reason = reason, .now = TimePoint(std::chrono::hours(1))};
}

std::vector<model::Report> reports_of(Nights& nights) {
  return nights.bench->stores().reports.list("fake", 5).value();
}

// A regression of a night that is there already, as a search leaves it; without a culprit it names none.
model::Regression attributed(Nights& nights, std::size_t day, const std::string& benchmark,
                             const std::string& culprit) {
  storage::NightStore& store = nights.bench->stores().nights;
  const auto night = store.find("fake", nights.machine.name_of(day)).value();
  auto regression =
      store
          .add_regression(night->id, {.series = {benchmark, model::Configuration::cpu_infer, model::Metric::time},
                                      .verdict = model::Verdict::regression,
                                      .before = 1e6,
                                      .after = 1.2e6,
                                      .change = 0.2,
                                      .low = 0.15,
                                      .high = 0.25,
                                      .pairs = 8,
                                      .reason = "1 ms became 1.2 ms"})
          .value();
  if (!culprit.empty()) regression.suspects = {culprit};
  regression.state = culprit.empty() ? model::RegressionState::unattributed : model::RegressionState::attributed;
  REQUIRE(store.update(regression));
  return regression;
}

const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};

// For ever.
void mute(Nights& nights, const model::Series& series) {
  REQUIRE(pipeline::mute_series(nights.bench->stores(), "fake", series, TimePoint::max(), ada("its data moves")));
}

// The night that found the regression, by its name.
pipeline::NightResult check_again(Nights& nights, const model::Regression& regression) {
  const std::string night = nights.bench->stores().nights.get(regression.night_id).value().name;
  auto result = pipeline::check_night(nights.bench->context(), {.nightly = night, .baseline = {}});
  REQUIRE(result);
  return std::move(*result);
}

// Its files are gone, and the index has forgotten it.
void lose(Nights& nights, const std::string& nightly) {
  storage::BuildStore& builds = nights.bench->stores().builds;
  model::Build build = *builds.find("fake", model::BuildKind::nightly, nightly).value();
  build.product.libtorch = nights.folder.path() / "gone";
  REQUIRE(builds.ready(build.id, build.product, {}));
  nights.machine.before_effect = [nightly](const std::string& effect) -> Status {
    if (effect == "install " + nightly) return fail(ErrorKind::failed, "not in the index");
    return {};
  };
}

pipeline::ReportContext context_of(const Nights& nights, std::size_t day) {
  return {.night = nights.machine.name_of(day),
          .baseline = nights.machine.name_of(day - 1),
          .bisection = nullptr,
          .environment = {}};
}

void file(Nights& nights, std::size_t day, const model::Regression& regression) {
  REQUIRE(pipeline::file_reports(nights.bench->context(), context_of(nights, day), {regression}));
}

}  // namespace

TEST_CASE("Regressions: one that is gone for three nights has recovered, and nobody is asked again", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 6);
  REQUIRE(nights.regressions().size() == 1);
  nights.check_all(7, 10);  // two nights without it
  CHECK(nights.regressions().front().standing == Standing::open);
  nights.check(11);
  REQUIRE(nights.regressions().size() == 1);
  const auto recovered = nights.regressions().front();
  CHECK(recovered.standing == Standing::recovered);
  const auto why = nights.bench->stores().decisions.of_regression(recovered.id).value();
  REQUIRE(why.size() == 1);
  CHECK(why[0].person == "tbci");
  CHECK(why[0].reason.find("on 3 nights") != std::string::npos);
  CHECK(nights.bench->stores().nights.open_regressions("fake").value().empty());
}

TEST_CASE("Regressions: a further step of a series recovers also where a person accepted the largest", "[nights]") {
  Nights nights(20);
  nights.machine.slower["beta"] = {
      {9 * commits_a_day - 3, 1.2}, {9 * commits_a_day - 1, 1.12}, {12 * commits_a_day - 1, 1 / 1.12}};
  nights.check_all(1, 8);
  REQUIRE(nights.check(9).regressions.size() == 2);
  const auto both = nights.bench->stores().nights.open_regressions("fake").value();
  REQUIRE(both.size() == 2);
  const auto largest = both[0].step == 0 ? both[0] : both[1], further = both[0].step == 0 ? both[1] : both[0];
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), largest.id, ada(), false));
  const auto standing = [&](const model::Regression& one) {
    return nights.bench->stores().nights.regression(one.id).value().standing;
  };
  nights.check_all(10, 12);
  CHECK(standing(further) == Standing::open);
  nights.check_all(13, 16);
  CHECK(standing(further) == Standing::recovered);
  CHECK(standing(largest) == Standing::accepted);
}

TEST_CASE("Regressions: one that stays is measured every fifth night, and stays open", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 4);
  for (std::size_t day = 5; day < 16; ++day) {
    nights.check(day);
    INFO(day);
    CHECK((nights.measured_on(3) > 0) == (day == 9 || day == 14));
  }
  REQUIRE(nights.regressions().size() == 1);
  CHECK(nights.regressions().front().standing == Standing::open);
}

TEST_CASE("Regressions: one that is gone recovers also on a machine that became slower", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}, {7 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 5);
  REQUIRE(nights.regressions().size() == 1);
  nights.machine.slowness = 1.15;  // for good: nothing comes near to the level before the regression
  nights.check_all(6, 13);
  REQUIRE(nights.regressions().size() == 1);
  CHECK(nights.regressions().front().standing == Standing::recovered);
}

TEST_CASE("Regressions: one whose fix pairs have confirmed is looked at in the same night, whatever the level",
          "[nights]") {
  Nights nights(20);
  nights.machine.slower["beta"] = {{9 * commits_a_day - 1, 1.25}, {15 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 9);
  REQUIRE(nights.regressions().size() == 1);
  nights.check_all(10, 14);
  nights.machine.slowness = 1.3;  // nothing comes near to the level before the regression
  nights.check_all(15, 17);       // the looks of every fifth night would come to two of them
  REQUIRE(nights.regressions().size() == 1);
  CHECK(nights.regressions().front().standing == Standing::recovered);
}

TEST_CASE("Regressions: it does not matter that processes which take turns have a level of their own", "[nights]") {
  for (const double level : {0.7, 1.4}) {
    INFO(level);
    Nights nights(16);
    nights.machine.alternating = true;
    nights.machine.alternating_level = level;
    nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
    nights.check_all(1, 6);
    REQUIRE(nights.regressions().size() == 1);
    for (const std::size_t day : std::vector<std::size_t>{7, 8}) {
      nights.machine.alternating_pairs = 0;
      nights.check(day);
      CHECK(nights.machine.alternating_pairs == 0);  // it is as slow as it was, and no pair is asked
    }
    nights.check_all(9, 11);
    CHECK(nights.regressions().front().standing == Standing::recovered);
  }
}

TEST_CASE("Regressions: where all pairs take turns, one that is gone recovers after any number of nights", "[nights]") {
  Nights nights(20);
  nights.machine.alternating = true;
  nights.machine.alternating_level = 1.3;
  nights.bench->config().measure.alternate = settings::Alternate::all;
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}, {16 * commits_a_day - 1, 1 / 1.25}};
  nights.machine.larger["alpha"] = {{4 * commits_a_day - 1, 100 << 20}, {16 * commits_a_day - 1, -(100 << 20)}};
  nights.check_all(1, 15);
  REQUIRE(nights.regressions().size() == 2);
  for (const model::Regression& regression : nights.regressions()) CHECK(regression.standing == Standing::open);
  nights.check_all(16, 18);
  for (const model::Regression& regression : nights.regressions()) CHECK(regression.standing == Standing::recovered);
}

TEST_CASE("Regressions: a night without a value of the series counts neither for nor against a recovery", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 10);
  CHECK(nights.regressions().front().standing == Standing::open);
  const auto looks = nights.bench->stores().decisions.clear_looks(nights.regressions().front().id).value();
  nights.machine.suite = {"alpha"};
  nights.check(11);
  CHECK(nights.bench->stores().decisions.clear_looks(nights.regressions().front().id).value() == looks);
  nights.machine.suite = {"alpha", "beta"};
  nights.check(12);
  CHECK(nights.regressions().front().standing == Standing::recovered);
}

TEST_CASE("Regressions: one whose old build is not available any more recovers beside a build that had it",
          "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 8);
  REQUIRE(nights.regressions().size() == 1);
  const std::string old_build = nights.regressions().front().old_build;
  lose(nights, old_build);
  nights.check_all(9, 12);
  REQUIRE(nights.regressions().size() == 1);
  CHECK(nights.regressions().front().standing == Standing::recovered);
  const auto why = nights.bench->stores().decisions.of_regression(nights.regressions().front().id).value();
  REQUIRE(why.size() == 1);
  CHECK(why[0].reason.find("than " + nights.machine.name_of(6)) != std::string::npos);
}

TEST_CASE("Regressions: a faster machine ends none whose old build is not available any more", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 8);
  REQUIRE(nights.regressions().size() == 1);
  lose(nights, nights.regressions().front().old_build);
  nights.machine.slowness = 0.7;
  nights.check_all(9, 13);
  REQUIRE(nights.regressions().size() == 1);
  CHECK(nights.regressions().front().standing == Standing::open);
}

TEST_CASE("Regressions: one is not found again beside an older build where its own is not available", "[nights]") {
  Nights nights(12);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 6);
  REQUIRE(nights.regressions().size() == 1);
  lose(nights, nights.machine.name_of(6));
  CHECK(nights.check(7).night.baseline == nights.machine.name_of(5));
  nights.check_all(8, 9);
  CHECK(nights.regressions().size() == 1);
}

TEST_CASE("Regressions: the further steps of a series recover with its largest", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 6);
  const model::Regression largest = nights.regressions().front();
  REQUIRE(nights.bench->stores().nights.add_regression(largest.night_id, largest.finding, largest.old_build, 1));
  nights.check_all(7, 11);
  REQUIRE(nights.regressions().size() == 2);
  for (const model::Regression& one : nights.regressions()) CHECK(one.standing == Standing::recovered);
}

TEST_CASE("Regressions: a series that is attributed to a reported culprit later joins its report", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{12 * commits_a_day - 2, 1.25}};
  nights.check_all(1, 11);
  REQUIRE(nights.check(12).reports.size() == 1);
  REQUIRE(reports_of(nights).size() == 1);
  CHECK(reports_of(nights)[0].body.find("alpha") == std::string::npos);
  file(nights, 12, attributed(nights, 12, "alpha", nights.commit(12 * commits_a_day - 2)));
  const auto merged = reports_of(nights);
  REQUIRE(merged.size() == 1);
  CHECK(merged[0].revision == 2);
  CHECK(merged[0].body.find("alpha") != std::string::npos);
  CHECK(merged[0].body.find("beta") != std::string::npos);
  CHECK(nights.bench->stores().reports.due(nights.bench->clock().now() + std::chrono::hours(24)).value().size() == 1);
}

TEST_CASE("Regressions: one that had recovered has relapsed when its culprit is found again", "[nights]") {
  Nights nights(16);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  nights.check_all(1, 11);
  REQUIRE(nights.regressions().front().standing == Standing::recovered);
  const auto id = nights.regressions().front().id;
  file(nights, 11, attributed(nights, 11, "beta", nights.commit(6 * commits_a_day - 1)));
  CHECK(nights.bench->stores().nights.regression(id).value().standing == Standing::relapsed);
  CHECK(nights.bench->stores().decisions.clear_looks(id).value() == 0);
  CHECK(nights.bench->stores().nights.open_regressions("fake").value().size() == 2);
}

TEST_CASE("Regressions: without a culprit each series keeps its own reason in the report", "[nights]") {
  Nights nights(3);
  REQUIRE(nights.bench->stores().nights.begin({"fake", nights.machine.name_of(1), nights.machine.name_of(0)}, {}));
  std::vector<model::Regression> both;
  for (const char* name : {"alpha", "beta"}) {
    both.push_back(attributed(nights, 1, name, ""));
    both.back().reason = std::string("the reason of ") + name;
  }
  const auto report =
      pipeline::draft_report(nights.bench->context(), context_of(nights, 1), {.regressions = both, .operators = {}});
  REQUIRE(report);
  CHECK(report->body.find("the reason of alpha") != std::string::npos);
  CHECK(report->body.find("the reason of beta") != std::string::npos);
}

TEST_CASE("Regressions: a muted series is kept as dismissed, and neither searched nor reported", "[nights]") {
  Nights nights(4);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.25}};
  mute(nights, beta);
  nights.check(1);
  const auto result = nights.check(2);
  CHECK(result.reports.empty());
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].standing == Standing::dismissed);
  for (const std::string& effect : nights.machine.effects) CHECK(effect.find("build") == std::string::npos);
}

TEST_CASE("Regressions: one that a mute dismissed is searched and reported once it is reopened", "[nights]") {
  Nights nights(12);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
  storage::Stores& stores = nights.bench->stores();
  mute(nights, beta);
  nights.check_all(1, 8);
  REQUIRE(nights.regressions().size() == 1);
  const model::Regression muted = nights.regressions().front();
  CHECK(muted.standing == Standing::dismissed);
  CHECK_FALSE(muted.report_id);
  REQUIRE(pipeline::reopen_regression(stores, muted.id, ada()));

  CHECK(stores.nights.unfinished("fake").value().front().id == muted.night_id);
  const auto result = check_again(nights, muted);
  CHECK(result.night.stage == model::Stage::done);
  REQUIRE(result.reports.size() == 1);
  CHECK(nights.regressions().front().suspects == std::vector{nights.commit(6 * commits_a_day - 1)});
  CHECK(nights.regressions().front().standing == Standing::open);
}

TEST_CASE("Regressions: one that is reopened after its night's search is over is searched by itself", "[nights]") {
  Nights nights(12);
  nights.machine.slower["alpha"] = {{6 * commits_a_day - 2, 1.25}};
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
  storage::Stores& stores = nights.bench->stores();
  mute(nights, beta);
  nights.check_all(1, 8);
  const auto before = nights.regressions();
  REQUIRE(before.size() == 2);
  const auto is_beta = [](const model::Regression& one) { return one.finding.series.benchmark == "beta"; };
  const auto muted = std::find_if(before.begin(), before.end(), is_beta);
  REQUIRE(muted != before.end());
  REQUIRE(pipeline::reopen_regression(stores, muted->id, ada()));

  const auto result = check_again(nights, *muted);
  CHECK(result.night.stage == model::Stage::done);
  const model::Regression after = stores.nights.regression(muted->id).value();
  CHECK(after.suspects == std::vector{nights.commit(6 * commits_a_day - 1)});
  REQUIRE(after.report_id);
  for (const model::Regression& one : nights.regressions()) {
    if (!is_beta(one)) CHECK(one.report_id != after.report_id);
  }
}

TEST_CASE("Retests: one whose old build is gone for good ends, and the series is judged as ever", "[nights]") {
  Nights nights(16);
  nights.check_all(1, 9);
  nights.queue_on_day_9("2020-01-01");
  nights.machine.slower["beta"] = {{10 * commits_a_day - 1, 1.25}};
  const auto result = nights.check(10);
  CHECK(result.regressions.size() == 1);
  CHECK(nights.waiting_after(result).empty());
}

TEST_CASE("Regressions: persons accept, dismiss and reopen, once each and with a reason", "[nights]") {
  Nights nights(4);
  nights.machine.slower["beta"] = {{2 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 2);
  const auto id = nights.regressions().front().id;
  storage::Stores& stores = nights.bench->stores();
  CHECK(pipeline::accept_regression(stores, id, ada(" "), false).error().kind == ErrorKind::usage);
  CHECK(pipeline::accept_regression(stores, id, ada(), true).error().message.find("no anchor") != std::string::npos);
  CHECK(nights.regressions().front().standing == Standing::open);
  CHECK(pipeline::reopen_regression(stores, id, ada()).error().kind == ErrorKind::usage);
  REQUIRE(pipeline::accept_regression(stores, id, ada(), false));
  CHECK(nights.regressions().front().standing == Standing::accepted);
  CHECK(pipeline::dismiss_regression(stores, id, ada()).error().kind == ErrorKind::usage);
  REQUIRE(pipeline::reopen_regression(stores, id, ada()));
  REQUIRE(pipeline::dismiss_regression(stores, id, ada("noise")));
  CHECK(nights.regressions().front().standing == Standing::dismissed);
  CHECK(stores.decisions.of_regression(id).value().size() == 3);
  CHECK(pipeline::mute_series(stores, "fake", nights.regressions().front().finding.series, TimePoint{}, ada())
            .error()
            .kind == ErrorKind::usage);
}

}  // namespace tbci::regressions_test
