// What reports say of other runners that measured the culprit and its parent, of nights on a fake machine.
#include "pipeline/night/other_runners.hpp"

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/comparing.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "pipeline/measure/measuring.hpp"
#include "storage/model/run_keys.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::other_runners_test {

using namespace tbci::test;

namespace {

constexpr std::size_t culprit = 12 * commits_a_day - 2;  // of night 12

/// beta is slower from night 12 on; a second runner has the same database.
struct TwoRunners : Nights {
  TwoRunners() : Nights(14) {
    machine.slower["beta"] = {{culprit, 1.25}};
    bench->config().report.name_runner = true;
  }

  // As `tbci --config second.toml compare PARENT CULPRIT` does; `factor`: of the culprit there.
  void compare_there(double factor, double noise = 0.005) {
    const Elsewhere there(*this, factor, noise);
    pipeline::SubjectContext& context = bench->context();
    pipeline::ComparisonPlan plan{.key = model::run_keys::comparison(context.clock.now()),
                                  .builds = {},
                                  .cases = {},
                                  .purpose = model::Purpose::manual};
    plan.builds.before = pipeline::build_commit(context, commit(culprit - 1)).value();
    plan.builds.after = pipeline::build_commit(context, commit(culprit)).value();
    plan.cases = pipeline::wanted_cases(context, plan.builds.after.product).value();
    REQUIRE(pipeline::compare_builds(context, plan));
  }

  // As `tbci --config second.toml run` of each of the two.
  void run_there(double factor) {
    const Elsewhere there(*this, factor, 0.005);
    for (const std::size_t at : {culprit - 1, culprit}) {
      bench->clock().advance(std::chrono::minutes(1));
      const auto build = pipeline::build_commit(bench->context(), commit(at)).value();
      const auto cases = pipeline::wanted_cases(bench->context(), build.product).value();
      REQUIRE(pipeline::measure_by_hand(bench->context(), build, cases));
    }
  }

  std::string body_of_night_12() {
    const auto result = check(12);
    REQUIRE(result.reports.size() == 1);
    return result.reports[0].body;
  }

 private:
  // The second runner, until it goes out of scope.
  struct Elsewhere {
    Elsewhere(TwoRunners& nights, double factor, double noise) : nights_(nights) {
      nights.bench->config().runner.name = "second";
      nights.machine.facts["variable ATEN_CPU_CAPABILITY"] = "default";
      nights.machine.slower["beta"] = {{culprit, factor}};
      nights.machine.noise = noise;
    }
    ~Elsewhere() {
      nights_.bench->config().runner.name = "test-runner";
      nights_.machine.facts.erase("variable ATEN_CPU_CAPABILITY");
      nights_.machine.slower["beta"] = {{culprit, 1.25}};
      nights_.machine.noise = 0.005;
    }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    TwoRunners& nights_;
  };
};

}  // namespace

TEST_CASE("Report: slower here and not on another runner that measured the culprit and its parent", "[nights]") {
  TwoRunners nights;
  nights.check_all(1, 11);
  nights.compare_there(1.0);
  const std::string body = nights.body_of_night_12();
  INFO(body);
  CHECK(contains(body, "- Slower on `test-runner`, not on `second` (beta (cpu-infer): "));
  CHECK(
      contains(body, ", the culprit beside its parent). There ATEN\\_CPU\\_CAPABILITY is default; it was not set.\n"));
}

TEST_CASE("Report: slower on both, by processes that another runner measured of each build alone", "[nights]") {
  TwoRunners nights;
  nights.check_all(1, 11);
  nights.run_there(1.5);
  const std::string body = nights.body_of_night_12();
  INFO(body);
  CHECK(contains(body, "- Slower on `test-runner` and on `second` (beta (cpu-infer): +5"));
}

TEST_CASE("Report: what another runner's noise hides is not decided", "[nights]") {
  TwoRunners nights;
  nights.check_all(1, 11);
  nights.compare_there(1.07, 0.4);
  CHECK(contains(nights.body_of_night_12(), "- Slower on `test-runner`; not decided on `second` ("));
}

TEST_CASE("Report: another runner says nothing where it did not measure both, and no name where none is wanted",
          "[nights]") {
  TwoRunners nights;
  nights.check_all(1, 11);
  SECTION("not both") {
    CHECK_FALSE(contains(nights.body_of_night_12(), "Slower on"));
  }
  SECTION("no name") {
    nights.bench->config().report.name_runner = false;
    nights.compare_there(1.0);
    const std::string body = nights.body_of_night_12();
    CHECK(contains(body, "- Slower on the machine of this report, not on another one ("));
    CHECK_FALSE(contains(body, "second"));
    CHECK_FALSE(contains(body, "test-runner"));
  }
}

TEST_CASE("Report: what another runner measures later stands in the next night's figures", "[nights]") {
  TwoRunners nights;
  nights.check_all(1, 12);
  nights.compare_there(1.0);
  nights.check(13);
  const auto reports = nights.bench->stores().reports.open_reports("fake").value();
  REQUIRE(reports.size() == 1);
  INFO(reports[0].body);
  CHECK(reports[0].body.starts_with("**Latest night**"));
  CHECK(contains(reports[0].body, "- Slower on `test-runner`, not on `second` (beta (cpu-infer): "));
}

}  // namespace tbci::other_runners_test
