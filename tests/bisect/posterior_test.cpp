// Expected values: the same model, summed in Python with NumPy 2.4 over every set of brackets that may hold a step, on
// a grid of 2,000 levels with a dense matrix of allowed jumps (no recursion over counts, no prefix sums). The grid here
// has 160 levels, so the two agree to a few percent and not to the last digit.
#include "bisect/posterior.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::posterior_test {

using bisect::LevelData;
using bisect::LevelSettings;
using bisect::Posterior;
using bisect::posterior_of;
using bisect::Readings;

namespace {

constexpr double few_percent = 0.04;

LevelSettings settings() {
  LevelSettings levels;
  levels.least_step = 0.03;
  levels.typical_noise = 0.02;
  levels.noise_spread = 0.01;  // nearly fixed: the noise of the grid that is nearest to 0.02
  levels.noise_floor = 0.001;
  levels.outliers_above = 0.02;
  levels.outliers_below = 0.002;
  levels.outlier_width = 2;
  return levels;
}

const std::vector<double> equal_weights(71, 1.0);

Posterior posterior(const std::vector<Readings>& classes, const std::vector<double>& weights = equal_weights) {
  return posterior_of(LevelData{classes, weights, false}, settings());
}

void check_near(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == test::Approx(expected[i]).epsilon(few_percent).margin(1e-6));
}

}  // namespace

TEST_CASE("Posterior: a probe like the bad end places the step before it", "[bisect]") {
  const auto found = posterior({{0, {0.0, 0.01}}, {35, {0.075}}, {70, {0.08, 0.07}}});
  check_near(found.step_after, {0.9973, 0.003537});
  check_near(found.like_good_end, {1, 0.002659, 7.15e-5});
  check_near(found.like_bad_end, {7.15e-5, 0.9965, 1});
  CHECK(found.none == test::Approx(7.15e-5).epsilon(few_percent));
  CHECK(found.several == test::Approx(0.0009488).epsilon(few_percent));
  CHECK(found.levels[1].mean == test::Approx(0.07493).epsilon(few_percent));
}

TEST_CASE("Posterior: a probe in the middle decides nothing", "[bisect]") {
  const auto found = posterior({{0, {0.0, 0.01}}, {35, {0.04}}, {70, {0.08, 0.07}}});
  check_near(found.step_after, {0.5015, 0.502});
  CHECK(found.none == test::Approx(0.001017).epsilon(few_percent));
  CHECK(found.several == test::Approx(0.004485).epsilon(few_percent));
}

TEST_CASE("Posterior: two steps are compared with one", "[bisect]") {
  const auto found = posterior({{0, {0.0, 0.01, -0.01}},
                                {20, {0.04, 0.045, 0.035, 0.04}},
                                {40, {0.041, 0.039, 0.043}},
                                {70, {0.08, 0.082, 0.079}}});
  check_near(found.step_after, {0.5207, 0.01615, 0.6271});
  CHECK(found.one == test::Approx(0.8359).epsilon(few_percent));
  CHECK(found.several == test::Approx(0.1639).epsilon(few_percent));
}

TEST_CASE("Posterior: an outlier says nothing about its class", "[bisect]") {
  const auto found = posterior({{0, {0.0, 0.01}}, {35, {0.5}}, {70, {0.08, 0.07}}});
  check_near(found.step_after, {0.5053, 0.5053});
  check_near(found.like_good_end, {1, 0.4947, 0.0002017});
}

TEST_CASE("Posterior: the prior matters while the readings leave a doubt", "[bisect]") {
  std::vector<double> weights = equal_weights;
  weights[3] = 30;
  const auto found = posterior({{0, {0.0, 0.01}}, {35, {0.045}}, {70, {0.08, 0.07}}}, weights);
  check_near(found.step_after, {0.8143, 0.1882});
  CHECK(found.several == test::Approx(0.003346).epsilon(few_percent));
}

TEST_CASE("Posterior: effects against the good end are zero at its level", "[bisect]") {
  const LevelData data{{{0, {}}, {35, {0.07, 0.09}}, {70, {0.08, 0.07}}}, equal_weights, true};
  const auto found = posterior_of(data, settings());
  check_near(found.like_bad_end, {0, 0.9995, 1});
  CHECK(1 - found.step_after[0] == test::Approx(4.869e-7).epsilon(0.1));
  CHECK(found.levels[0].mean == 0);
  CHECK(found.levels[1].mean == test::Approx(0.0775).epsilon(few_percent));
}

TEST_CASE("Posterior: equal ends have no step between them", "[bisect]") {
  const auto found = posterior({{0, {0.0, 0.01, -0.01, 0.0}}, {70, {0.01, 0.0, 0.0, -0.01}}});
  CHECK(found.none == test::Approx(0.9866).epsilon(few_percent));
  CHECK(found.step_after[0] == test::Approx(0.01342).epsilon(few_percent));
}

TEST_CASE("Posterior: a step that was repaired in part is two steps", "[bisect]") {
  const auto found =
      posterior({{0, {0.0, 0.01}}, {20, {0.15, 0.16, 0.155}}, {40, {0.15, 0.16, 0.15}}, {70, {0.08, 0.075, 0.085}}});
  CHECK(1 - found.step_after[0] == test::Approx(1.39e-6).epsilon(0.1));
  CHECK(found.step_after[1] == test::Approx(0.0007519).epsilon(few_percent));
  CHECK(1 - found.step_after[2] == test::Approx(2.467e-5).epsilon(0.1));
  CHECK(found.one == test::Approx(2.369e-5).epsilon(0.1));
  CHECK(found.levels[1].mean == test::Approx(0.1542).epsilon(few_percent));
}

TEST_CASE("Posterior: readings that several classes share count once", "[bisect]") {
  const Readings probe{35, {0.075}, 0.5}, twin{36, {0.075}, 0.5};
  const auto twice = posterior({{0, {0.0, 0.01}}, probe, twin, {70, {0.08, 0.07}}});
  const auto once = posterior({{0, {0.0, 0.01}}, {35, {0.075}}, {70, {0.08, 0.07}}});
  CHECK(twice.like_good_end[2] == test::Approx(once.like_good_end[1]).epsilon(0.2));
  CHECK(twice.like_good_end[2] > once.like_good_end[1] / 2);  // full readings for both would square it
}

TEST_CASE("Posterior: a class without readings is summed over", "[bisect]") {
  const auto with = posterior({{0, {0.0, 0.01}}, {35, {}}, {70, {0.08, 0.07}}});
  const auto without = posterior({{0, {0.0, 0.01}}, {70, {0.08, 0.07}}});
  CHECK(with.like_good_end[1] == test::Approx(0.5).epsilon(0.02));
  CHECK(with.none == test::Approx(without.none).epsilon(0.1));
  CHECK(with.levels[0].mean == test::Approx(without.levels[0].mean).margin(0.002));
}

TEST_CASE("Posterior: the noise is estimated from the readings", "[bisect]") {
  LevelSettings loose = settings();
  loose.noise_spread = 1;
  const std::vector<Readings> quiet = {{0, {0.0, 0.001, -0.001, 0.0, 0.001, 0.0}}, {70, {0.3, 0.301, 0.299, 0.3}}};
  const std::vector<Readings> loud = {{0, {0.0, 0.08, -0.07, 0.05, -0.09, 0.03}}, {70, {0.3, 0.38, 0.25, 0.33}}};
  CHECK(posterior_of({quiet, equal_weights, false}, loose).noise < 0.015);
  CHECK(posterior_of({loud, equal_weights, false}, loose).noise > 0.04);
}

TEST_CASE("Posterior: the bounds of a level contain it and narrow with more readings", "[bisect]") {
  const auto few = posterior({{0, {0.0, 0.01}}, {70, {0.08, 0.07}}});
  const auto many =
      posterior({{0, {0.0, 0.01, 0.005, 0.0, 0.01, 0.005}}, {70, {0.08, 0.07, 0.075, 0.08, 0.07, 0.075}}});
  CHECK(few.levels[1].low < 0.075);
  CHECK(few.levels[1].high > 0.075);
  CHECK(many.levels[1].high - many.levels[1].low < 0.75 * (few.levels[1].high - few.levels[1].low));
  // Of a mean of two with a standard deviation of 0.0165: 3.09 standard errors of 0.0116 to either side.
  CHECK(few.levels[1].high == test::Approx(0.075 + 0.036).margin(0.008));
}

}  // namespace tbci::posterior_test
