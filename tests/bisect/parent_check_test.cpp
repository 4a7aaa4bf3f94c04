#include "bisect/parent_check.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::parent_check_test {

using bisect::BesideParent;
using bisect::BesideParentSettings;
using bisect::decide_beside_parent;

namespace {

BesideParentSettings settings(double expected = 0.08, double noise = 0.028) {
  BesideParentSettings beside;
  beside.levels.least_step = 0.3 * std::abs(expected);
  beside.levels.typical_noise = noise;
  beside.levels.noise_spread = 0.25;
  beside.levels.noise_floor = 0.001;
  beside.levels.wild_below = beside.levels.wild_above;
  beside.levels.wild_width = 2;
  beside.expected = expected;
  return beside;
}

struct Played {
  BesideParent verdict = BesideParent::more;
  std::size_t pairs = 0;
};

Played play(std::mt19937_64& random, double step, const BesideParentSettings& beside, double noise, double wild) {
  std::normal_distribution<double> gaussian(step, noise);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> effects;
  while (true) {
    const double off = uniform(random) < wild ? (uniform(random) < 0.5 ? 0.4 : -0.4) : 0;
    effects.push_back(gaussian(random) + off);
    const auto decision = decide_beside_parent(effects, beside);
    if (decision.verdict != BesideParent::more) return {decision.verdict, effects.size()};
  }
}

}  // namespace

TEST_CASE("Beside the parent: a clear step is shown by the first pairs, with its size", "[bisect]") {
  CHECK(decide_beside_parent(std::vector<double>{0.08, 0.09}, settings()).verdict == BesideParent::more);
  const auto decision = decide_beside_parent(std::vector<double>{0.08, 0.09, 0.085}, settings());
  CHECK(decision.verdict == BesideParent::shown);
  CHECK(decision.step.mean == test::Approx(0.085).margin(0.005));
  CHECK(decision.step.low < 0.085);
  CHECK(decision.step.high > 0.085);
}

TEST_CASE("Beside the parent: no step is absent, and so is one of the other sign", "[bisect]") {
  CHECK(decide_beside_parent(std::vector<double>(8, 0.0), settings()).verdict == BesideParent::absent);
  CHECK(decide_beside_parent(std::vector<double>(8, -0.08), settings()).verdict == BesideParent::absent);
  CHECK(decide_beside_parent(std::vector<double>(4, -0.08), settings(-0.08)).verdict == BesideParent::shown);
}

TEST_CASE("Beside the parent: works for bytes", "[bisect]") {
  BesideParentSettings beside = settings(65536, 1200);
  beside.levels.noise_floor = 64;
  beside.levels.wild_width = 30 * 4096;
  CHECK(decide_beside_parent(std::vector<double>{65536, 65500, 65536}, beside).verdict == BesideParent::shown);
  CHECK(decide_beside_parent(std::vector<double>(6, 100.0), beside).verdict == BesideParent::absent);
}

TEST_CASE("Beside the parent: comes to an end where the pairs say nothing", "[bisect]") {
  std::vector<double> effects;
  for (int i = 0; i < 40; ++i) effects.push_back(i % 2 == 0 ? 0.25 : -0.22);
  const auto early =
      decide_beside_parent(std::vector<double>(effects.begin(), effects.begin() + 6), settings(0.08, 0.2));
  CHECK(early.verdict == BesideParent::more);
  CHECK(decide_beside_parent(effects, settings(0.08, 0.2)).verdict == BesideParent::absent);
}

TEST_CASE("Beside the parent: is wrong hardly ever, with wild pairs", "[bisect]") {
  std::mt19937_64 random(5);
  constexpr int plays = 600;
  int missed = 0, invented = 0;
  std::size_t pairs = 0;
  for (int i = 0; i < plays; ++i) {
    const Played step = play(random, 0.08, settings(), 0.028, 0.04);
    missed += step.verdict == BesideParent::shown ? 0 : 1;
    invented += play(random, 0, settings(), 0.028, 0.04).verdict == BesideParent::shown ? 1 : 0;
    pairs += step.pairs;
  }
  CHECK(missed <= 2);
  CHECK(invented <= 2);
  CHECK(pairs < 6 * plays);
}

}  // namespace tbci::parent_check_test
