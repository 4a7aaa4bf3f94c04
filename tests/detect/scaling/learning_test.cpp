#include "detect/scaling/learning.hpp"

#include <cmath>
#include <random>

#include "tests/catch.hpp"

namespace tbci::detect_learning_test {

using detect::compare_losses;
using detect::LossPair;
using test::Approx;

namespace {

// Losses of some seeds at some sizes. Those of one seed share a deviation, as they share samples.
std::vector<LossPair> losses(std::mt19937_64& random, double worse, double by_seed, double by_training) {
  std::normal_distribution<double> normal;
  std::vector<LossPair> pairs;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double shared = by_seed * normal(random);
    for (const double loss : {0.58, 0.54, 0.52, 0.51})
      pairs.push_back({seed, loss, loss * (1 + worse + shared + by_training * normal(random))});
  }
  return pairs;
}

}  // namespace

TEST_CASE("Losses: what a doubling returns is the same share of what is above the constant", "[detect]") {
  detect::PowerLaw law;
  law.a.value = 3;
  law.b.value = -0.5;
  law.c.value = 0.5;
  const auto returned = detect::returned_by_doubling(law, 100);
  CHECK(returned.gained == Approx(law.at(100) - law.at(200)));
  CHECK(returned.share == Approx((law.at(1000) - law.at(2000)) / (law.at(1000) - 0.5)));
}

TEST_CASE("Losses: equal ones are the same, and neither better nor worse", "[detect]") {
  std::mt19937_64 random(1);
  auto pairs = losses(random, 0, 0, 0);
  for (LossPair& pair : pairs) pair.after = pair.before;
  const auto change = compare_losses(pairs);
  REQUIRE(change);
  CHECK(change->same);
  CHECK_FALSE(change->worse());
  CHECK_FALSE(change->better());
  pairs.front().after = std::nextafter(pairs.front().after, 1.0);
  CHECK_FALSE(compare_losses(pairs)->same);
}

TEST_CASE("Losses: a build that learns worse is found, in either direction", "[detect]") {
  std::mt19937_64 random(2);
  int worse = 0, better = 0;
  for (int i = 0; i < 200; ++i) {
    worse += compare_losses(losses(random, 0.004, 0.0007, 0.001))->worse();
    better += compare_losses(losses(random, -0.004, 0.0007, 0.001))->better();
  }
  CHECK(worse >= 195);
  CHECK(better >= 195);
}

TEST_CASE("Losses: deviations without a direction are found in one case of a hundred", "[detect]") {
  std::mt19937_64 random(3);
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto change = compare_losses(losses(random, 0, 0.003, 0.001));
    found += change->worse() || change->better();
  }
  CHECK(found < 50);
  // By pairs instead of by seeds, a third would be.
  CHECK(found > 5);
}

TEST_CASE("Losses: a sure difference that is too small does not count", "[detect]") {
  std::mt19937_64 random(4);
  const auto change = compare_losses(losses(random, 0.0002, 0, 1e-6));
  REQUIRE(change);
  CHECK(change->ratio.low > 1);
  CHECK_FALSE(change->worse());
}

TEST_CASE("Losses: one seed, and losses that are not above 0, are refused", "[detect]") {
  CHECK_FALSE(compare_losses({{1, 0.5, 0.5}, {1, 0.4, 0.4}}));
  CHECK_FALSE(compare_losses({}));
  CHECK_FALSE(compare_losses({{1, 0.5, 0.5}, {2, 0.0, 0.5}}));
  CHECK_FALSE(compare_losses({{1, 0.5, 0.5}, {2, 0.5, std::nan("")}}));
}

}  // namespace tbci::detect_learning_test
