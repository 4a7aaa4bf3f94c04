#include "bisect/drift.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::drift_test {

using bisect::are_correlated;
using bisect::drift_of;
using bisect::DriftState;
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

}  // namespace tbci::drift_test
