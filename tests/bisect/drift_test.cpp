#include "bisect/drift.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::drift_test {

using bisect::move_together;
using bisect::Steadiness;
using bisect::steadiness_of;
using Sittings = std::vector<std::vector<double>>;

TEST_CASE("Steadiness: a good end that stays where it was", "[bisect]") {
  CHECK(steadiness_of(Sittings{{0.0, 0.01}, {0.02}, {-0.01}}, 0.02) == Steadiness::steady);
  CHECK(steadiness_of(Sittings{{0.0, 0.01}}, 0.02) == Steadiness::steady);
  CHECK(steadiness_of(Sittings{}, 0.02) == Steadiness::steady);
}

TEST_CASE("Steadiness: one value far off may be a slow process, two are not", "[bisect]") {
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {0.4}}, 0.02) == Steadiness::unsure);
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {0.4, 0.01}}, 0.02) == Steadiness::steady);
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {0.01}, {0.4, 0.38}}, 0.02) == Steadiness::drifting);
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {-0.2, -0.21}}, 0.02) == Steadiness::drifting);
}

TEST_CASE("Steadiness: far off is told by the noise", "[bisect]") {
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {0.1, 0.1}}, 0.005) == Steadiness::drifting);
  CHECK(steadiness_of(Sittings{{0.0, 0.01, 0.0}, {0.1, 0.1}}, 0.05) == Steadiness::steady);
}

TEST_CASE("Steadiness: pairs that rise and fall together", "[bisect]") {
  const std::vector<detect::Pair> moving = {{0.0, 0.08}, {0.1, 0.18}, {0.3, 0.37}, {-0.1, -0.02}, {0.2, 0.28}};
  CHECK(move_together(moving));
  CHECK_FALSE(move_together(std::vector<detect::Pair>(moving.begin(), moving.begin() + 4)));
  CHECK_FALSE(move_together(std::vector<detect::Pair>(8, detect::Pair{1, 2})));
}

TEST_CASE("Steadiness: independent pairs are taken for moving ones about once in a thousand", "[bisect]") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  int together = 0;
  for (int day = 0; day < 20000; ++day) {
    std::vector<detect::Pair> pairs;
    for (int i = 0; i < 6; ++i) {
      const double before = noise(random);
      pairs.push_back({before, 3 + noise(random)});
    }
    together += move_together(pairs) ? 1 : 0;
  }
  CHECK(together > 5);  // 20 are expected
  CHECK(together < 45);
}

}  // namespace tbci::drift_test
