#include "bisect/next_step.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tbci::next_step_test {

using bisect::Certainty;
using bisect::ClassState;
using bisect::LevelData;
using bisect::LevelSettings;
using bisect::Need;
using bisect::Posterior;
using bisect::Readings;

namespace {

/// A regression with its posterior, of a day of 71 classes.
struct Case {
  explicit Case(std::vector<Readings> classes, bool against_good_end = false)
      : data{std::move(classes), weights, against_good_end}, states(71, ClassState::untried), at_least(71, 0) {
    LevelSettings levels;
    levels.least_step = 0.025;
    levels.typical_noise = 0.02;
    levels.noise_spread = 0.25;
    levels.noise_floor = 0.001;
    levels.wild_width = 2;
    posterior = bisect::posterior_of(data, levels);
    for (const Readings& readings : data.classes) states[readings.at] = ClassState::measured;
  }
  Need need(const Certainty& certainty = {}) const {
    return bisect::next_need({data, posterior, states, at_least}, certainty);
  }

  std::vector<double> weights = std::vector<double>(71, 1.0);
  LevelData data;
  Posterior posterior;
  std::vector<ClassState> states;
  std::vector<std::size_t> at_least;
};

std::vector<double> many(double value, std::size_t count = 8) {
  return std::vector<double>(count, value);
}

}  // namespace

TEST_CASE("Inquiry: the ends come first, in turns", "[bisect]") {
  const Need good = Case({{0, {0.0, 0.03}}, {70, {0.03, 0.05}}}).need();
  CHECK(good.kind == Need::Kind::read);
  CHECK(good.at == 0);
  const Need bad = Case({{0, {0.0, 0.03, 0.01}}, {70, {0.03, 0.05}}}).need();
  CHECK(bad.kind == Need::Kind::read);
  CHECK(bad.at == 70);
}

TEST_CASE("Inquiry: equal ends want nothing more, and hold no step", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {70, many(0.001)}}).need();
  CHECK(need.kind == Need::Kind::nothing);
  CHECK(need.gaps.empty());
}

TEST_CASE("Inquiry: ends that differ want the day split", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {70, many(0.08)}}).need();
  REQUIRE(need.kind == Need::Kind::split);
  REQUIRE(need.gaps.size() == 1);
  CHECK(need.gaps[0].good == 0);
  CHECK(need.gaps[0].bad == 70);
  CHECK(need.gaps[0].change > 0.999);
}

TEST_CASE("Inquiry: a probe in doubt is read again, not left", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {35, {0.04}}, {70, many(0.08)}}).need();
  CHECK(need.kind == Need::Kind::read);
  CHECK(need.at == 35);
}

TEST_CASE("Inquiry: a probe with many readings waits for the ends that it is held against", "[bisect]") {
  const Need need = Case({{0, {0.0, 0.005}}, {35, many(0.04, 12)}, {70, {0.08, 0.075}}}).need({.ends = 0.5});
  CHECK(need.kind == Need::Kind::read);
  CHECK(need.at != 35);
}

TEST_CASE("Inquiry: the side that holds the step is split", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {35, many(0.0)}, {70, many(0.08)}}).need();
  REQUIRE(need.kind == Need::Kind::split);
  REQUIRE(need.gaps.size() == 1);
  CHECK(need.gaps[0].good == 35);
}

TEST_CASE("Inquiry: two steps want both of their gaps split", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {35, many(0.05)}, {70, many(0.1)}}).need();
  REQUIRE(need.kind == Need::Kind::split);
  REQUIRE(need.gaps.size() == 2);
  CHECK(need.gaps[0].bad == 35);
  CHECK(need.gaps[1].good == 35);
}

TEST_CASE("Inquiry: neighbours with a step between them are the answer", "[bisect]") {
  const Need need = Case({{0, many(0.0)}, {34, many(0.0)}, {35, many(0.08)}, {70, many(0.08)}}).need();
  REQUIRE(need.kind == Need::Kind::nothing);
  REQUIRE(need.gaps.size() == 1);
  CHECK(need.gaps[0].good == 34);
  CHECK(need.gaps[0].bad == 35);
  CHECK(need.gaps[0].change >= 0.999);
}

TEST_CASE("Inquiry: a gap whose classes are all lost is the answer as it is", "[bisect]") {
  Case one({{0, many(0.0)}, {33, many(0.0)}, {36, many(0.08)}, {70, many(0.08)}});
  CHECK(one.need().kind == Need::Kind::split);
  one.states[34] = one.states[35] = ClassState::lost;
  const Need need = one.need();
  CHECK(need.kind == Need::Kind::nothing);
  REQUIRE(need.gaps.size() == 1);
  CHECK(need.gaps[0].good == 33);
  CHECK(need.gaps[0].bad == 36);
}

TEST_CASE("Inquiry: once the readings run out the likelier is taken", "[bisect]") {
  Certainty certainty;
  certainty.most_readings = 8;
  const Need need = Case({{0, many(0.0)}, {35, many(0.041)}, {70, many(0.08)}}).need(certainty);
  CHECK(need.kind == Need::Kind::split);
  const Need undecided = Case({{0, {0.0, 0.09, 0.02}}, {70, {0.03, 0.1, 0.04}}}).need({.most_readings = 3});
  CHECK(undecided.kind != Need::Kind::read);
}

TEST_CASE("Inquiry: readings that were asked for are made first", "[bisect]") {
  Case one({{0, many(0.0)}, {34, many(0.0)}, {35, many(0.08)}, {70, many(0.08)}});
  one.at_least[34] = 12;
  const Need need = one.need();
  CHECK(need.kind == Need::Kind::read);
  CHECK(need.at == 34);
}

TEST_CASE("Inquiry: the good end is not read where its level is known", "[bisect]") {
  const Need need = Case({{0, {}}, {70, {0.03, 0.05}}}, true).need();
  CHECK(need.kind == Need::Kind::read);
  CHECK(need.at == 70);
}

}  // namespace tbci::next_step_test
