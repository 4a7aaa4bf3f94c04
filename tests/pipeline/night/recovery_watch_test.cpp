// How often an open regression is looked at.
#include "pipeline/night/recovery_watch.hpp"

#include <set>
#include <string>

#include "pipeline/night/regression_decisions.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::recovery_watch_test {

using namespace tbci::test;

TEST_CASE("Regressions: the longer one stays, the more rarely it is measured", "[nights][long]") {
  Nights nights(90);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 54);
  for (std::size_t day = 55; day < 90; ++day) {
    nights.check(day);
    INFO(day);
    const std::size_t age = day - 4;  // 5 nights between, then 6, 7 and 8
    CHECK((nights.measured_on(3) > 0) == (age == 55 || age == 61 || age == 67 || age == 74 || age == 82));
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

namespace {

// The files of a day's build are gone, and nothing makes them again. Its name.
std::string lose(Nights& nights, std::size_t day) {
  storage::BuildStore& builds = nights.bench->stores().builds;
  const std::string name = nights.machine.name_of(day);
  model::Build build = *builds.find("fake", model::BuildKind::nightly, name).value();
  build.product.libtorch = nights.folder.path() / "gone";
  REQUIRE(builds.ready(build.id, build.product, {}));
  nights.machine.before_effect = [name](const std::string& effect) -> Status {
    if (effect == "install " + name) return fail(ErrorKind::failed, "not in the index");
    return {};
  };
  return name;
}

}  // namespace

TEST_CASE("Regressions: one whose old build is gone recovers beside a later accepted change", "[nights]") {
  TwoSteps steps;
  lose(steps.nights, 3);
  steps.nights.check_all(9, 25);
  CHECK(steps.standing_of(steps.first) == model::Standing::recovered);
  CHECK(steps.standing_of(steps.second) == model::Standing::accepted);
}

TEST_CASE("Regressions: one whose old build is gone recovers when it is repaired in two parts", "[nights]") {
  Nights nights(30);
  nights.machine.slower["beta"] = {
      {4 * commits_a_day - 1, 1.6}, {12 * commits_a_day - 1, 1 / 1.25}, {17 * commits_a_day - 1, 1.25 / 1.6}};
  nights.check_all(1, 8);
  REQUIRE(nights.regressions().size() == 1);
  const std::int64_t id = nights.regressions()[0].id;
  const auto standing = [&] { return nights.bench->stores().nights.regression(id).value().standing; };
  lose(nights, 3);
  nights.check_all(9, 16);
  CHECK(standing() == model::Standing::open);
  nights.check_all(17, 25);
  CHECK(standing() == model::Standing::recovered);
}

TEST_CASE("Regressions: one that was repaired in part before a long break recovers after it", "[nights][long]") {
  Nights nights(60);
  nights.machine.slower["beta"] = {
      {4 * commits_a_day - 1, 1.6}, {12 * commits_a_day - 1, 1 / 1.25}, {30 * commits_a_day - 1, 1.25 / 1.6}};
  nights.machine.broken["beta"] = model::Outcome::crashed;
  nights.machine.broken_from = 22 * commits_a_day - 1;
  nights.machine.broken_until = 32 * commits_a_day - 1;
  nights.check_all(1, 20);
  const auto found = nights.regressions();
  REQUIRE(found.size() == 1);
  // Of the builds that pairs were measured on none can be measured any more.
  std::set<std::string> gone;
  for (std::size_t day = 0; day < 20; ++day) gone.insert(lose(nights, day));
  nights.machine.before_effect = [gone](const std::string& effect) -> Status {
    const bool lost = effect.starts_with("install ") && gone.contains(effect.substr(8));
    return lost ? fail(ErrorKind::failed, "not in the index") : Status{};
  };
  nights.check_all(21, 45);
  CHECK(nights.bench->stores().nights.regression(found[0].id).value().standing == model::Standing::recovered);
}

}  // namespace tbci::recovery_watch_test
