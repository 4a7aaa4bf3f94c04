// Regressions that a person reopens at a bad moment: as their night ends, and after it was given up.
#include "pipeline/night/night_tries.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/waiting_nights.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::reopened_test {

using namespace tbci::test;
using model::Standing;

namespace {

const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};

pipeline::DecisionBy ada() {
  return {.person = "ada", .reason = "it is one", .now = TimePoint(std::chrono::hours(1))};
}

model::Regression of_beta(const Nights& nights) {
  for (const model::Regression& one : nights.regressions()) {
    if (one.finding.series == beta) return one;
  }
  FAIL("beta has no regression");
  return {};
}

}  // namespace

TEST_CASE("Reopened: a regression that a person opens as its night ends is searched before the night is over",
          "[nights]") {
  Nights nights(20);
  storage::Stores& stores = nights.bench->stores();
  nights.machine.slower["alpha"] = {{4 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 0.8}};
  nights.machine.slower["beta"] = {{11 * commits_a_day - 1, 1.25}};
  REQUIRE(pipeline::mute_series(stores, "fake", beta, TimePoint::max(), ada()));
  nights.check_all(1, 10);
  // Night 11 finds beta slower, and sees alpha clear for the third time: as it ends it reads the commits between, to
  // say what made alpha faster.
  bool reopened = false;
  nights.machine.before_history = [&] {
    const auto night = stores.nights.find("fake", nights.machine.name_of(11)).value();
    if (reopened || !night || night->stage != model::Stage::report) return;
    reopened = true;
    REQUIRE(pipeline::reopen_regression(stores, of_beta(nights).id, ada()));
  };
  const auto tonight = pipeline::NightChoice{.nightly = nights.machine.name_of(11), .baseline = {}};
  const auto cut = pipeline::check_night(nights.bench->context(), tonight);
  REQUIRE(reopened);
  REQUIRE_FALSE(cut);
  CHECK(cut.error().kind == ErrorKind::transient);
  CHECK_FALSE(of_beta(nights).report_id);
  const auto done = pipeline::check_night(nights.bench->context(), tonight);
  REQUIRE(done);
  CHECK(done->night.stage == model::Stage::done);
  CHECK(of_beta(nights).suspects == std::vector{nights.commit(11 * commits_a_day - 1)});
  CHECK(of_beta(nights).report_id);
}

TEST_CASE("Reopened: a regression of a night that was given up is searched and reported after all", "[nights]") {
  Nights nights(12);
  storage::Stores& stores = nights.bench->stores();
  nights.bench->config().service.tries = 2;
  nights.machine.slower["alpha"] = {{6 * commits_a_day - 2, 1.25}};
  nights.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
  REQUIRE(pipeline::mute_series(stores, "fake", beta, TimePoint::max(), ada()));
  nights.check_all(1, 5);
  nights.machine.history_is_out = true;
  const auto tonight = pipeline::NightChoice{.nightly = nights.machine.name_of(6), .baseline = {}};
  for (int i = 0; i < 2; ++i) REQUIRE_FALSE(try_night(nights.bench->context(), tonight));
  CHECK(stores.tries.of_night(of_beta(nights).night_id).value().given_up);
  nights.machine.history_is_out = false;
  CHECK_FALSE(of_beta(nights).report_id);

  REQUIRE(pipeline::reopen_regression(stores, of_beta(nights).id, ada()));
  const auto searched = pipeline::search_waiting_night(nights.bench->context());
  REQUIRE(searched);
  CHECK(searched->worked);
  CHECK(of_beta(nights).suspects == std::vector{nights.commit(6 * commits_a_day - 1)});
  CHECK(of_beta(nights).report_id);
  CHECK(of_beta(nights).standing == Standing::open);
}

}  // namespace tbci::reopened_test
