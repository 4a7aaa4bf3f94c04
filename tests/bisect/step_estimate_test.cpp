#include "bisect/step_estimate.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::step_estimate_test {

using bisect::ChangeNoise;
using bisect::ChangeReadings;
using bisect::estimate_change;
using bisect::LevelEstimate;

namespace {

const ChangeNoise two_percent = {.typical = 0.02, .spread = 0.25, .floor = 0.001, .outlier_width = 2};

std::vector<double> readings(std::mt19937_64& random, double level, double noise, int count) {
  std::normal_distribution<double> gaussian(level, noise);
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(gaussian(random));
  return all;
}

std::vector<double> moved(std::vector<double> values, double by) {
  for (double& value : values) value += by;
  return values;
}

}  // namespace

TEST_CASE("Estimate: many equal pairs give their mean, and 1.96 standard errors to either side", "[bisect]") {
  std::vector<double> effects;
  for (int i = 0; i < 50; ++i) effects.push_back(0.08 + (i % 2 == 0 ? 0.02 : -0.02) * std::numbers::sqrt2);
  const LevelEstimate change = estimate_change({.effects = effects, .before = {}, .after = {}}, two_percent);
  const double error = 0.02 * std::numbers::sqrt2 / std::sqrt(50.0);
  CHECK(change.mean == test::Approx(0.08).margin(1e-5));
  CHECK(change.low == test::Approx(0.08 - 1.96 * error).margin(0.1 * error));
  CHECK(change.high == test::Approx(0.08 + 1.96 * error).margin(0.1 * error));
}

TEST_CASE("Estimate: no grid shows: readings that move by a little move the estimate by as much", "[bisect]") {
  const std::vector<double> effects = {0.071, 0.093, 0.066, 0.088};
  const std::vector<double> before = {0.011, -0.004, 0.02}, after = {0.08, 0.101, 0.077, 0.09};
  const LevelEstimate pairs = estimate_change({.effects = effects, .before = {}, .after = {}}, two_percent);
  const LevelEstimate alone = estimate_change({.effects = {}, .before = before, .after = after}, two_percent);
  for (const double by : {1e-5, 0.00037, -0.0123, 0.4}) {
    const auto further = moved(effects, by), later = moved(after, by);
    const LevelEstimate of_pairs = estimate_change({.effects = further, .before = {}, .after = {}}, two_percent);
    const LevelEstimate of_processes = estimate_change({.effects = {}, .before = before, .after = later}, two_percent);
    for (const auto& [one, other] : {std::pair{pairs, of_pairs}, std::pair{alone, of_processes}}) {
      CHECK(other.mean - one.mean == test::Approx(by).margin(1e-6));
      CHECK(other.low - one.low == test::Approx(by).margin(1e-5));
      CHECK(other.high - one.high == test::Approx(by).margin(1e-5));
    }
  }
}

TEST_CASE("Estimate: a slow process moves it by little", "[bisect]") {
  const std::vector<double> clean = {0.071, 0.093, 0.066, 0.088, 0.079};
  std::vector<double> dirty = clean;
  dirty.push_back(0.5);
  const LevelEstimate without = estimate_change({.effects = clean, .before = {}, .after = {}}, two_percent);
  const LevelEstimate with = estimate_change({.effects = dirty, .before = {}, .after = {}}, two_percent);
  CHECK(with.mean == test::Approx(without.mean).margin(0.003));
  CHECK(with.high < 0.12);
}

TEST_CASE("Estimate: 95% of the intervals hold the truth, of pairs and of processes alone", "[bisect][long]") {
  std::mt19937_64 random(11);
  constexpr int draws = 600;
  for (const double noise : {0.01, 0.02, 0.035}) {
    ChangeNoise known = two_percent;
    known.typical = noise;
    int of_pairs = 0, of_processes = 0;
    for (int i = 0; i < draws; ++i) {
      const auto effects = readings(random, 0.08, noise * std::numbers::sqrt2, 4);
      const auto before = readings(random, 0.3, noise, 6), after = readings(random, 0.38, noise, 3);
      const LevelEstimate pairs = estimate_change({.effects = effects, .before = {}, .after = {}}, known);
      const LevelEstimate alone = estimate_change({.effects = {}, .before = before, .after = after}, known);
      of_pairs += pairs.low <= 0.08 && 0.08 <= pairs.high ? 1 : 0;
      of_processes += alone.low <= 0.08 && 0.08 <= alone.high ? 1 : 0;
    }
    INFO("noise " << noise << ": " << of_pairs << " and " << of_processes << " of " << draws);
    for (const int holding : {of_pairs, of_processes}) {
      CHECK(holding >= 0.92 * draws);
      CHECK(holding <= 0.985 * draws);
    }
  }
}

TEST_CASE("Estimate: a noise far below the expected one is found", "[bisect]") {
  const ChangeNoise bytes = {.typical = 150, .spread = 0.7, .floor = 8, .outlier_width = 15360};
  const std::vector<double> effects = {65536, 65540, 65530, 65536};
  const LevelEstimate change = estimate_change({.effects = effects, .before = {}, .after = {}}, bytes);
  CHECK(change.mean == test::Approx(65535.5).margin(3));
  CHECK(change.high - change.low < 200);  // with the expected noise: 416
}

}  // namespace tbci::step_estimate_test
