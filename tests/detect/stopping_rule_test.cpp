#include "detect/stopping_rule.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::stopping_rule_test {

using tbci::detect::median_interval;
using tbci::detect::MedianInterval;
using tbci::detect::Sampling;
using tbci::detect::wants_more;
using tbci::test::Approx;

namespace {

using Values = std::vector<double>;

Values gaussian(std::mt19937& random, std::size_t count, double spread) {
  std::normal_distribution<double> noise(1, spread);
  Values values(count);
  for (double& value : values) value = noise(random);
  return values;
}

}  // namespace

TEST_CASE("median_interval: an exact level takes exact order statistics", "[detect]") {
  // 1 - 2 (1/2)^5, and 1 - 2 (1 + 6) / 2^6: by hand.
  const auto all = median_interval(Values{5, 1, 4, 2, 3}, 0.9375);
  REQUIRE(all);
  CHECK(all->median == 3);
  CHECK(all->low == Approx(1));
  CHECK(all->high == Approx(5));
  const auto inner = median_interval(Values{1, 2, 3, 4, 5, 6}, 0.78125);
  REQUIRE(inner);
  CHECK(inner->low == Approx(2));
  CHECK(inner->high == Approx(5));
  CHECK(inner->relative_half_width() == Approx(1.5 / 3.5));
}

TEST_CASE("median_interval: between two levels it is interpolated, and narrower for a lower level", "[detect]") {
  const Values values = {1, 2, 3, 4, 5};
  // k = 1, share = 0.0375 / 0.3125 = 0.12, inwards = 4 * 0.12 / (1 + 3 * 0.12): by hand.
  const auto interval = median_interval(values, 0.9);
  REQUIRE(interval);
  CHECK(interval->low == Approx(1 + 0.48 / 1.36));
  CHECK(interval->high == Approx(5 - 0.48 / 1.36));
  const auto lower = median_interval(values, 0.7);
  REQUIRE(lower);
  CHECK(lower->low > interval->low);
  CHECK(lower->high < interval->high);
}

TEST_CASE("median_interval: too few values reach no level, and one wild value does not move a long one", "[detect]") {
  CHECK_FALSE(median_interval(Values{}, 0.9));
  CHECK_FALSE(median_interval(Values{1}, 0.1));
  CHECK_FALSE(median_interval(Values{1, 2, 3, 4}, 0.9));
  CHECK(median_interval(Values{1, 2}, 0.4));
  const auto tame = median_interval(Values{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09}, 0.9);
  const auto wild = median_interval(Values{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1000}, 0.9);
  REQUIRE(tame);
  REQUIRE(wild);
  CHECK(wild->high == Approx(tame->high));
}

TEST_CASE("median_interval: it holds the true median about as often as it says", "[detect]") {
  std::mt19937 random(11);
  for (const std::size_t count : {5U, 7U, 10U, 15U}) {
    int held = 0;
    constexpr int tries = 4000;
    for (int i = 0; i < tries; ++i) {
      const auto interval = median_interval(gaussian(random, count, 0.05), 0.9);
      REQUIRE(interval);
      held += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
    }
    INFO(count);
    CHECK(std::abs(static_cast<double>(held) / tries - 0.9) < 0.02);
  }
}

TEST_CASE("wants_more: the least are always measured, the most never passed", "[detect]") {
  const Sampling sampling;
  const Values equal = {1, 1, 1, 1}, wild = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  CHECK(wants_more({equal, 4}, sampling));
  CHECK(wants_more({wild, 9}, sampling));
  CHECK_FALSE(wants_more({wild, 10}, sampling));
  const Sampling fixed{.least = 5, .most = 5};
  CHECK_FALSE(wants_more({Values{1, 2, 4, 8, 16}, 5}, fixed));
}

TEST_CASE("wants_more: it ends where the median is known well enough", "[detect]") {
  const Sampling sampling;
  CHECK_FALSE(wants_more({Values{1, 1.01, 1.02, 1.03, 1.04}, 5}, sampling));
  CHECK(wants_more({Values{1, 1.05, 1.1, 1.15, 1.2}, 5}, sampling));
  const Sampling loose{.half_width = 0.2};
  CHECK_FALSE(wants_more({Values{1, 1.05, 1.1, 1.15, 1.2}, 5}, loose));
}

TEST_CASE("wants_more: a case that gives nothing is not tried for ever, one that gives little is", "[detect]") {
  const Sampling sampling;
  CHECK_FALSE(wants_more({Values{}, 5}, sampling));
  CHECK(wants_more({Values{1, 1}, 5}, sampling));  // three processes failed: two values reach no interval
  CHECK_FALSE(wants_more({Values{1, 1}, 10}, sampling));
}

}  // namespace tbci::stopping_rule_test
