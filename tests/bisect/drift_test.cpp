#include "bisect/drift.hpp"

#include <cstddef>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::drift_test {

using bisect::are_correlated;
using bisect::BuildReading;
using bisect::drift_of;
using bisect::DriftState;
using bisect::is_noise_shared;
using Sessions = std::vector<std::vector<double>>;

TEST_CASE("Drift: a good end whose level stays is steady", "[bisect]") {
  CHECK(drift_of(Sessions{{0.0, 0.01}, {0.02}, {-0.01}}, 0.02) == DriftState::steady);
  CHECK(drift_of(Sessions{{0.0, 0.01}}, 0.02) == DriftState::steady);
  CHECK(drift_of(Sessions{}, 0.02) == DriftState::steady);
}

TEST_CASE("Drift: one distant reading may be a slow process, two are a drift", "[bisect]") {
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {0.4}}, 0.02) == DriftState::unsure);
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {0.4, 0.01}}, 0.02) == DriftState::steady);
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {0.01}, {0.4, 0.38}}, 0.02) == DriftState::drifting);
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {-0.2, -0.21}}, 0.02) == DriftState::drifting);
}

TEST_CASE("Drift: the noise decides what is distant", "[bisect]") {
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {0.1, 0.1}}, 0.005) == DriftState::drifting);
  CHECK(drift_of(Sessions{{0.0, 0.01, 0.0}, {0.1, 0.1}}, 0.05) == DriftState::steady);
}

TEST_CASE("Drift: pairs that rise and fall together are correlated", "[bisect]") {
  const std::vector<detect::Pair> moving = {{0.0, 0.08}, {0.1, 0.18}, {0.3, 0.37}, {-0.1, -0.02}, {0.2, 0.28}};
  CHECK(are_correlated(moving));
  CHECK_FALSE(are_correlated(std::vector<detect::Pair>(moving.begin(), moving.begin() + 4)));
  CHECK_FALSE(are_correlated(std::vector<detect::Pair>(8, detect::Pair{1, 2})));
}

TEST_CASE("Drift: independent pairs count as correlated about once in a thousand", "[bisect]") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  int correlated = 0;
  for (int day = 0; day < 20000; ++day) {
    std::vector<detect::Pair> pairs;
    for (int i = 0; i < 6; ++i) {
      const double before = noise(random);
      pairs.push_back({before, 3 + noise(random)});
    }
    correlated += are_correlated(pairs) ? 1 : 0;
  }
  CHECK(correlated > 5);  // 20 are expected
  CHECK(correlated < 45);
}

namespace {

/// Builds 0 to 2 in turn, build n at level n; a reading is off by `off` of its place.
template <typename Off>
std::vector<BuildReading> in_turn(std::size_t count, Off off) {
  std::vector<BuildReading> readings;
  for (std::size_t i = 0; i < count; ++i) readings.push_back({i % 3, static_cast<double>(i % 3) + off(i)});
  return readings;
}

double slow_in_the_middle(std::size_t i) {
  return i >= 8 && i < 14 ? 0.4 : 0.01 * static_cast<double>(i * 7 % 5);
}

}  // namespace

TEST_CASE("Drift: processes that are slow one after the other share their noise, whatever build they are of",
          "[bisect]") {
  CHECK(is_noise_shared(in_turn(24, slow_in_the_middle)));
}

TEST_CASE("Drift: slow processes here and there share nothing", "[bisect]") {
  CHECK_FALSE(is_noise_shared(in_turn(24, [](std::size_t i) { return i % 6 == 4 ? 0.4 : 0.01; })));
}

TEST_CASE("Drift: the steps between builds are not shared noise", "[bisect]") {
  CHECK_FALSE(is_noise_shared(in_turn(24, [](std::size_t) { return 0.0; })));
  std::vector<BuildReading> one_after_the_other;
  for (std::size_t i = 0; i < 24; ++i) {
    const std::size_t build = i / 8;
    one_after_the_other.push_back({build, static_cast<double>(build) + 0.1 * static_cast<double>(i % 2)});
  }
  CHECK_FALSE(is_noise_shared(one_after_the_other));
}

TEST_CASE("Drift: builds with a single reading say nothing of shared noise", "[bisect]") {
  std::vector<BuildReading> readings;
  for (std::size_t i = 0; i < 24; ++i) readings.push_back({i, slow_in_the_middle(i)});
  CHECK_FALSE(is_noise_shared(readings));
  CHECK_FALSE(is_noise_shared(in_turn(12, [](std::size_t i) { return i < 6 ? 0.4 : 0.0; })));  // too few
}

TEST_CASE("Drift: independent noise seldom counts as shared", "[bisect]") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise;
  int shared = 0;
  for (int day = 0; day < 5000; ++day) {
    shared += is_noise_shared(in_turn(20, [&](std::size_t) { return noise(random); })) ? 1 : 0;
  }
  CHECK(shared <= 50);  // 50 of a level that is known; medians of seven readings make it fewer
}

}  // namespace tbci::drift_test
