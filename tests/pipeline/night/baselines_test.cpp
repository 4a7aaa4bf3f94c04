#include "pipeline/night/baselines.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::baselines_test {

using namespace tbci::test;

namespace {

// The nightly that the night of a day would be compared with.
std::string baseline_of(Nights& nights, std::size_t day) {
  auto published = nights.machine.nightlies({}).value();
  published.resize(day);
  return pipeline::possible_baselines(nights.bench->context(), published).value().at(0).name;
}

}  // namespace

TEST_CASE("Baselines: the newest that ran well, by version, also where an older one was checked later", "[nights]") {
  Nights nights(6);
  nights.check_all(1, 2);
  nights.check(4);
  nights.check(3);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(4));
}

TEST_CASE("Baselines: one on which most cases failed is passed over, and lies inside the range", "[nights]") {
  Nights nights(8);
  nights.machine.suite = {"alpha", "beta", "gamma"};
  nights.check_all(1, 3);
  nights.machine.broken = {{"alpha", model::Outcome::crashed}, {"beta", model::Outcome::crashed}};
  nights.machine.broken_from = 4 * commits_a_day;
  nights.machine.broken_until = 5 * commits_a_day;
  nights.check(4);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(3));
  nights.check(5);
  CHECK(baseline_of(nights, 6) == nights.machine.name_of(5));
}

TEST_CASE("Baselines: what is broken for good does not keep an old baseline for ever", "[nights]") {
  Nights nights(10);
  nights.machine.suite = {"alpha", "beta", "gamma"};
  nights.bench->config().disk.kept_nights = 3;
  nights.check_all(1, 2);
  nights.machine.broken = {{"alpha", model::Outcome::crashed}, {"beta", model::Outcome::crashed}};
  nights.machine.broken_from = 3 * commits_a_day;
  nights.check_all(3, 4);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(2));
  nights.check(5);
  CHECK(baseline_of(nights, 6) == nights.machine.name_of(5));
}

TEST_CASE("Baselines: one on which a few cases failed is as good as any", "[nights]") {
  Nights nights(8);
  nights.machine.suite = {"alpha", "beta", "gamma"};
  nights.check_all(1, 3);
  nights.machine.broken = {{"alpha", model::Outcome::crashed}};
  nights.machine.broken_from = 4 * commits_a_day;
  nights.check(4);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(4));
}

TEST_CASE("Baselines: the nights of years are not asked for, once enough are known", "[nights]") {
  Nights nights(12);
  nights.check_all(1, 10);
  auto published = nights.machine.nightlies({}).value();
  published.resize(11);
  const auto possible = pipeline::possible_baselines(nights.bench->context(), published).value();
  REQUIRE(possible.size() == 5);
  CHECK(possible.front().name == nights.machine.name_of(10));
  CHECK(possible.back().name == nights.machine.name_of(6));
}

TEST_CASE("Baselines: one against which no worker builds is passed over", "[nights]") {
  Nights nights(8);
  nights.check_all(1, 3);
  nights.machine.unlistable_from = 4 * commits_a_day;
  nights.machine.unlistable_until = 5 * commits_a_day;
  nights.check(4);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(3));
}

TEST_CASE("Baselines: one that ran on this machine as it is now goes before a newer one that ran on another",
          "[nights]") {
  Nights nights(8);
  nights.check_all(1, 3);
  nights.machine.facts = {{"cpu", "fake"}, {"governor", "powersave"}};
  nights.check(4);
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(4));
  nights.machine.facts = {{"cpu", "fake"}, {"governor", "performance"}};  // neither is like that
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(4));
  nights.check(5);
  nights.machine.facts = {{"cpu", "fake"}, {"governor", "powersave"}};
  CHECK(baseline_of(nights, 6) == nights.machine.name_of(4));
}

TEST_CASE("Baselines: a machine that changed back reaches no further than the nights whose builds stay", "[nights]") {
  Nights nights(8);
  nights.bench->config().disk.kept_nights = 2;
  nights.machine.facts = {{"governor", "powersave"}};
  nights.check_all(1, 2);
  nights.machine.facts = {{"governor", "performance"}};
  nights.check_all(3, 4);
  nights.machine.facts = {{"governor", "powersave"}};
  CHECK(baseline_of(nights, 5) == nights.machine.name_of(4));
}

TEST_CASE("Baselines: what ran on another runner comes after what ran on this one", "[nights]") {
  Nights nights(8);
  nights.check_all(1, 2);
  nights.bench->config().runner.name = "another";
  nights.check(3);
  CHECK(baseline_of(nights, 4) == nights.machine.name_of(3));
  nights.bench->config().runner.name = "test-runner";
  CHECK(baseline_of(nights, 4) == nights.machine.name_of(2));
  nights.bench->config().runner.name = "a third";
  CHECK(baseline_of(nights, 4) == nights.machine.name_of(3));
}

}  // namespace tbci::baselines_test
