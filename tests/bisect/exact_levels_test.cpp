#include "bisect/exact_levels.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tbci::exact_levels_test {

using bisect::exact_posterior;
using bisect::LevelData;
using bisect::shows_noise;
using model::Metric;

TEST_CASE("Exact levels: equal readings mean something where the number has digits enough", "[bisect]") {
  for (const double fine : {123456.0, 65536.0, 209715200.0, 12.346, 0.0123456, 1 / 123456.0, 102400.0})
    CHECK(shows_noise(Metric::time, fine, 1e-3));
  for (const double coarse : {12.3, 0.53, 1.0, 1e8, 120.0, 1 / 12.3, 1 / 64.0})
    CHECK_FALSE(shows_noise(Metric::time, coarse, 1e-3));
  CHECK(shows_noise(Metric::cpu_leak, 0, 8));
  CHECK(shows_noise(Metric::cpu_leak, 65552, 8));
  CHECK_FALSE(shows_noise(Metric::cpu_leak, 65000, 8));
}

TEST_CASE("Exact levels: neighbours that differ by a step have one between them, for sure", "[bisect]") {
  const std::vector<double> weights(71, 1.0);
  const LevelData data{{{0, {5, 5}}, {20, {5.001}}, {40, {5.08}}, {60, {5.03}}, {70, {5.03, 5.03}}}, weights, false};
  const auto found = exact_posterior(data, 0.02, 0.001);
  CHECK(found.step_after == std::vector<double>{0, 1, 1, 0});
  CHECK(found.like_good_end == std::vector<double>{1, 1, 0, 0, 0});
  CHECK(found.like_bad_end == std::vector<double>{0, 0, 0, 1, 1});
  CHECK(found.none == 0);
  CHECK(found.one == 0);
  CHECK(found.several == 1);
  CHECK(found.levels[2].low == 5.08);
  CHECK(found.levels[2].high == 5.08);
}

TEST_CASE("Exact levels: ends that differ by less than a step are equal", "[bisect]") {
  const std::vector<double> weights(71, 1.0);
  const LevelData data{{{0, {5, 5}}, {70, {5.01, 5.01}}}, weights, false};
  CHECK(exact_posterior(data, 0.02, 0.001).none == 1);
  CHECK(exact_posterior(data, 0.009, 0.001).one == 1);
}

}  // namespace tbci::exact_levels_test
