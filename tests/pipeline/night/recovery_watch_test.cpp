// How often an open regression is looked at.
#include "pipeline/night/recovery_watch.hpp"

#include "pipeline/night/regression_decisions.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::recovery_watch_test {

using namespace tbci::test;

TEST_CASE("Regressions: one that stays for months is measured every tenth night", "[nights][long]") {
  Nights nights(90);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 54);
  for (std::size_t day = 55; day < 90; ++day) {
    nights.check(day);
    INFO(day);
    CHECK((nights.measured_on(3) > 0) == (day == 4 + 60 || day == 4 + 70 || day == 4 + 80));
  }
}

namespace {

const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};

// Two steps of one series; a person accepts the second, and the first is repaired on day 12.
struct TwoSteps {
  TwoSteps() {
    nights.machine.slower["beta"] = {
        {4 * commits_a_day - 1, 1.25}, {8 * commits_a_day - 1, 1.3}, {12 * commits_a_day - 1, 1 / 1.25}};
    nights.check_all(1, 8);
    REQUIRE(nights.regressions().size() == 2);
    second = nights.regressions()[0].id;
    first = nights.regressions()[1].id;
    REQUIRE(pipeline::accept_regression(
        nights.bench->stores(), second,
        {.person = "ada", .reason = "it is worth it", .now = TimePoint(std::chrono::hours(1))}, false));
  }
  model::Standing standing_of(std::int64_t id) const {
    return nights.bench->stores().nights.regression(id).value().standing;
  }

  Nights nights{30};
  std::int64_t first = 0, second = 0;
};

}  // namespace

TEST_CASE("Regressions: one whose series has an accepted change since recovers without that change", "[nights]") {
  TwoSteps steps;
  steps.nights.check_all(9, 11);
  CHECK(steps.standing_of(steps.first) == model::Standing::open);
  steps.nights.check_all(12, 14);
  CHECK(steps.standing_of(steps.first) == model::Standing::recovered);
  CHECK(steps.standing_of(steps.second) == model::Standing::accepted);
  steps.nights.check_all(15, 20);
  CHECK(steps.nights.regressions().size() == 2);
}

TEST_CASE("Regressions: one whose old build is gone recovers beside a later accepted change", "[nights]") {
  TwoSteps steps;
  storage::BuildStore& builds = steps.nights.bench->stores().builds;
  const std::string old_build = steps.nights.machine.name_of(3);
  model::Build build = *builds.find("fake", model::BuildKind::nightly, old_build).value();
  build.product.libtorch = steps.nights.folder.path() / "gone";
  REQUIRE(builds.ready(build.id, build.product, {}));
  steps.nights.machine.before_effect = [old_build](const std::string& effect) -> Status {
    if (effect == "install " + old_build) return fail(ErrorKind::failed, "not in the index");
    return {};
  };
  steps.nights.check_all(9, 25);
  CHECK(steps.standing_of(steps.first) == model::Standing::recovered);
  CHECK(steps.standing_of(steps.second) == model::Standing::accepted);
}

}  // namespace tbci::recovery_watch_test
