#include "bisect/next_action.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tbci::next_action_test {

using bisect::Certainty;
using bisect::ClassState;
using bisect::LevelData;
using bisect::LevelSettings;
using bisect::NextAction;
using bisect::Posterior;
using bisect::Readings;

namespace {

/// The state of one series and its posterior, in a search of 71 classes.
struct Case {
  explicit Case(std::vector<Readings> classes, bool against_good_end = false)
      : data{std::move(classes), weights, against_good_end}, states(71, ClassState::untried), required_readings(71, 0) {
    LevelSettings levels;
    levels.least_step = 0.025;
    levels.typical_noise = 0.02;
    levels.noise_spread = 0.25;
    levels.noise_floor = 0.001;
    levels.outlier_width = 2;
    posterior = bisect::posterior_of(data, levels);
    for (const Readings& readings : data.classes) states[readings.at] = ClassState::measured;
  }
  NextAction next_action(const Certainty& certainty = {}) const {
    return bisect::next_action(
        {.data = &data, .posterior = &posterior, .states = states, .required_readings = required_readings}, certainty);
  }

  std::vector<double> weights = std::vector<double>(71, 1.0);
  LevelData data;
  Posterior posterior;
  std::vector<ClassState> states;
  std::vector<std::size_t> required_readings;
};

std::vector<double> many(double value, std::size_t count = 8) {
  return std::vector<double>(count, value);
}

}  // namespace

TEST_CASE("Next step: the ends are measured first, in turns", "[bisect]") {
  const NextAction good = Case({{0, {0.0, 0.03}}, {70, {0.03, 0.05}}}).next_action();
  CHECK(good.kind == NextAction::Kind::measure);
  CHECK(good.at == 0);
  const NextAction bad = Case({{0, {0.0, 0.03, 0.01}}, {70, {0.03, 0.05}}}).next_action();
  CHECK(bad.kind == NextAction::Kind::measure);
  CHECK(bad.at == 70);
}

TEST_CASE("Next step: equal ends end the search without a step", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {70, many(0.001)}}).next_action();
  CHECK(next.kind == NextAction::Kind::done);
  CHECK(next.brackets.empty());
}

TEST_CASE("Next step: different ends are split", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {70, many(0.08)}}).next_action();
  REQUIRE(next.kind == NextAction::Kind::split);
  REQUIRE(next.brackets.size() == 1);
  CHECK(next.brackets[0].good == 0);
  CHECK(next.brackets[0].bad == 70);
  CHECK(next.brackets[0].probability > 0.999);
}

TEST_CASE("Next step: an uncertain probe is measured again", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {35, {0.04}}, {70, many(0.08)}}).next_action();
  CHECK(next.kind == NextAction::Kind::measure);
  CHECK(next.at == 35);
}

TEST_CASE("Next step: a probe with many readings waits for readings of the ends", "[bisect]") {
  const NextAction next =
      Case({{0, {0.0, 0.005}}, {35, many(0.04, 12)}, {70, {0.08, 0.075}}}).next_action({.ends = 0.5});
  CHECK(next.kind == NextAction::Kind::measure);
  CHECK(next.at != 35);
}

TEST_CASE("Next step: the side that holds the step is split", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {35, many(0.0)}, {70, many(0.08)}}).next_action();
  REQUIRE(next.kind == NextAction::Kind::split);
  REQUIRE(next.brackets.size() == 1);
  CHECK(next.brackets[0].good == 35);
}

TEST_CASE("Next step: two steps split both of their brackets", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {35, many(0.05)}, {70, many(0.1)}}).next_action();
  REQUIRE(next.kind == NextAction::Kind::split);
  REQUIRE(next.brackets.size() == 2);
  CHECK(next.brackets[0].bad == 35);
  CHECK(next.brackets[1].good == 35);
}

TEST_CASE("Next step: neighbours with a step between them are the result", "[bisect]") {
  const NextAction next = Case({{0, many(0.0)}, {34, many(0.0)}, {35, many(0.08)}, {70, many(0.08)}}).next_action();
  REQUIRE(next.kind == NextAction::Kind::done);
  REQUIRE(next.brackets.size() == 1);
  CHECK(next.brackets[0].good == 34);
  CHECK(next.brackets[0].bad == 35);
  CHECK(next.brackets[0].probability >= 0.999);
}

TEST_CASE("Next step: a bracket whose classes are all lost is the result", "[bisect]") {
  Case one({{0, many(0.0)}, {33, many(0.0)}, {36, many(0.08)}, {70, many(0.08)}});
  CHECK(one.next_action().kind == NextAction::Kind::split);
  one.states[34] = one.states[35] = ClassState::lost;
  const NextAction next = one.next_action();
  CHECK(next.kind == NextAction::Kind::done);
  REQUIRE(next.brackets.size() == 1);
  CHECK(next.brackets[0].good == 33);
  CHECK(next.brackets[0].bad == 36);
}

TEST_CASE("Next step: without readings left, the likelier side is taken", "[bisect]") {
  Certainty certainty;
  certainty.most_readings = 8;
  const NextAction next = Case({{0, many(0.0)}, {35, many(0.041)}, {70, many(0.08)}}).next_action(certainty);
  CHECK(next.kind == NextAction::Kind::split);
  const NextAction undecided =
      Case({{0, {0.0, 0.09, 0.02}}, {70, {0.03, 0.1, 0.04}}}).next_action({.most_readings = 3});
  CHECK(undecided.kind != NextAction::Kind::measure);
}

TEST_CASE("Next step: required readings are measured first", "[bisect]") {
  Case one({{0, many(0.0)}, {34, many(0.0)}, {35, many(0.08)}, {70, many(0.08)}});
  one.required_readings[34] = 12;
  const NextAction next = one.next_action();
  CHECK(next.kind == NextAction::Kind::measure);
  CHECK(next.at == 34);
}

TEST_CASE("Next step: the good end is not measured if its level is known", "[bisect]") {
  const NextAction next = Case({{0, {}}, {70, {0.03, 0.05}}}, true).next_action();
  CHECK(next.kind == NextAction::Kind::measure);
  CHECK(next.at == 70);
}

}  // namespace tbci::next_action_test
