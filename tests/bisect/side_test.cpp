#include "bisect/side.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

using namespace tbci;
using bisect::decide_side;
using bisect::decide_step;
using bisect::Step;
using bisect::StepVerdict;
using model::Side;

namespace {
struct Played {
  Side side;
  int pairs;
};

/// `wild`: share of pairs that are off by half of the value in either direction.
Played play(std::mt19937_64& random, double mean, const Step& step, double noise, double wild) {
  std::normal_distribution<double> gaussian(mean, noise);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> effects;
  while (true) {
    double effect = gaussian(random);
    if (uniform(random) < wild) effect += uniform(random) < 0.5 ? 0.4 : -0.4;
    effects.push_back(effect);
    const auto decision = decide_side(effects, step, {});
    if (decision.side != Side::unknown) return {decision.side, static_cast<int>(effects.size())};
  }
}
}  // namespace

TEST_CASE("Side: clear effects are decided by the first pairs", "[bisect]") {
  const Step step{0.2, 0.01};
  CHECK(decide_side(std::vector<double>{0.2, 0.2}, step, {}).side == Side::unknown);
  CHECK(decide_side(std::vector<double>{0.2, 0.19, 0.21}, step, {}).side == Side::bad);
  CHECK(decide_side(std::vector<double>{0.0, 0.01, -0.01}, step, {}).side == Side::good);
}

TEST_CASE("Side: works for steps downwards and for bytes", "[bisect]") {
  CHECK(decide_side(std::vector<double>{-0.2, -0.2, -0.2}, {-0.2, 0.01}, {}).side == Side::bad);
  CHECK(decide_side(std::vector<double>{0, 0, 0}, {-0.2, 0.01}, {}).side == Side::good);
  CHECK(decide_side(std::vector<double>{65536, 65536, 65536}, {65536, 64}, {}).side == Side::bad);
  CHECK(decide_side(std::vector<double>{0, 100, -30}, {65536, 64}, {}).side == Side::good);
}

TEST_CASE("Side: one wild pair does not decide", "[bisect]") {
  const Step step{0.2, 0.02};
  CHECK(decide_side(std::vector<double>{0.0, 0.5, 0.01, -0.01, 0.0}, step, {}).side == Side::good);
  CHECK(decide_side(std::vector<double>{0.2, -0.3, 0.21, 0.19, 0.2}, step, {}).side == Side::bad);
}

TEST_CASE("Side: a probe like neither end is set against the middle", "[bisect]") {
  // Twice the step: repaired in part later on.
  std::vector<double> effects;
  for (int i = 0; i < 10; ++i) effects.push_back(0.4 + 0.001 * i);
  CHECK(decide_side(effects, {0.2, 0.01}, {}).side == Side::bad);
  for (double& effect : effects) effect = -effect;
  CHECK(decide_side(effects, {0.2, 0.01}, {}).side == Side::good);
}

TEST_CASE("Side: the pairs run out at the middle", "[bisect]") {
  std::vector<double> effects;
  for (int i = 0; i < 30; ++i) effects.push_back(0.1 + (i % 2 == 0 ? 0.05 : -0.05));
  const auto decision = decide_side(effects, {0.2, 0.05}, {});
  CHECK(decision.side != Side::unknown);
  CHECK_FALSE(decision.certain);
}

TEST_CASE("Side: is wrong less than once in a thousand, with wild pairs", "[bisect]") {
  std::mt19937_64 random(5);
  int wrong = 0, pairs = 0;
  constexpr int plays = 10000;
  for (int i = 0; i < plays; ++i) {
    const bool bad = i % 2 == 0;
    const Played played = play(random, bad ? 0.08 : 0, {0.08, 0.028}, 0.028, 0.02);
    wrong += played.side == (bad ? Side::bad : Side::good) ? 0 : 1;
    pairs += played.pairs;
  }
  CHECK(wrong <= plays / 1000);
  CHECK(pairs < 5 * plays);
}

TEST_CASE("Step: shown where it is, absent where not", "[bisect]") {
  bisect::StepSettings settings;
  settings.least = 0.034;
  settings.scale_floor = 1e-3;
  CHECK(decide_step(std::vector<double>(5, 0.1), settings).verdict == StepVerdict::more);
  CHECK(decide_step(std::vector<double>(6, 0.1), settings).verdict == StepVerdict::shown);
  CHECK(decide_step(std::vector<double>(6, 0.0), settings).verdict == StepVerdict::absent);
  CHECK(decide_step(std::vector<double>(6, 0.02), settings).verdict == StepVerdict::absent);
  CHECK(decide_step(std::vector<double>(6, -0.1), settings).verdict == StepVerdict::absent);
  settings.either_direction = true;
  const auto down = decide_step(std::vector<double>(6, -0.1), settings);
  CHECK(down.verdict == StepVerdict::shown);
  CHECK(down.step.size == tbci::test::Approx(-0.1));
}

TEST_CASE("Step: too much noise ends at the most pairs", "[bisect]") {
  bisect::StepSettings settings;
  settings.least = 0.03;
  settings.scale_floor = 1e-3;
  std::vector<double> effects;
  for (int i = 0; i < 29; ++i) effects.push_back(i % 2 == 0 ? 0.5 : -0.5);
  CHECK(decide_step(effects, settings).verdict == StepVerdict::more);
  effects.push_back(-0.5);
  CHECK(decide_step(effects, settings).verdict == StepVerdict::absent);
}
