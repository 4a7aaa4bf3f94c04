#include "detect/mean_ratio.hpp"

#include <array>
#include <span>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::mean_ratio_test {

using namespace detect;

TEST_CASE("mean_ratio: the geometric mean of the pairs, with Student's interval", "[ratio]") {
  // Logarithms 0.5, 0.7, 0.9: mean 0.7, standard error 0.2/sqrt(3); t(2, 97.5%) = 4.302653.
  const std::vector<Pair> pairs = {{1.0, std::exp(0.5)}, {2.0, 2 * std::exp(0.7)}, {10.0, 10 * std::exp(0.9)}};
  const auto ratio = mean_ratio(pairs);
  REQUIRE(ratio);
  CHECK(ratio->pairs == 3);
  CHECK(ratio->ratio == Approx(std::exp(0.7)).epsilon(1e-12));
  CHECK(ratio->low == Approx(std::exp(0.7 - 4.302653 * 0.2 / std::sqrt(3.0))).epsilon(1e-6));
  CHECK(ratio->high == Approx(std::exp(0.7 + 4.302653 * 0.2 / std::sqrt(3.0))).epsilon(1e-6));
}

TEST_CASE("mean_ratio: one pair has no interval, so there is nothing to say", "[ratio]") {
  CHECK_FALSE(mean_ratio({}));
  const std::array one = {Pair{1, 2}};
  CHECK_FALSE(mean_ratio(one));
}

TEST_CASE("ratio_of_groups: two groups of processes, with Welch's interval", "[ratio]") {
  // By scipy.stats.ttest_ind(log(after), log(before), equal_var=False).confidence_interval().
  const std::array before = {10.0, 11.0, 12.5, 10.5}, after = {20.0, 26.0, 23.0, 0.0};
  const auto ratio = ratio_of_groups(before, std::span(after).first(3));
  REQUIRE(ratio);
  CHECK(ratio->pairs == 3);
  CHECK(ratio->ratio == Approx(2.086271028862574).epsilon(1e-12));
  CHECK(ratio->low == Approx(1.6050605024078288).epsilon(1e-9));
  CHECK(ratio->high == Approx(2.711752484932416).epsilon(1e-9));
}

TEST_CASE("ratio_of_groups: equal processes have no width, and one alone has no ratio", "[ratio]") {
  const std::array equal = {4.0, 4.0};
  const std::array twice = {8.0, 8.0, 8.0};
  const auto ratio = ratio_of_groups(equal, twice);
  REQUIRE(ratio);
  CHECK(ratio->ratio == Approx(2));
  CHECK(ratio->low == ratio->high);
  CHECK_FALSE(ratio_of_groups(std::span(equal).first(1), twice));
  CHECK_FALSE(ratio_of_groups(twice, std::span(equal).first(1)));
}

TEST_CASE("against: a change is above or below a threshold with its whole interval, or undecided", "[ratio]") {
  CHECK(against(0.07, {.ratio = 1.2, .low = 1.071, .high = 1.3, .pairs = 5}) == AgainstThreshold::above);
  CHECK(against(0.07, {.ratio = 1.2, .low = 1.069, .high = 1.3, .pairs = 5}) == AgainstThreshold::undecided);
  CHECK(against(0.07, {.ratio = 1.0, .low = 0.9, .high = 1.069, .pairs = 5}) == AgainstThreshold::below);
  CHECK(against(0.07, {.ratio = 1.0, .low = 0.9, .high = 1.071, .pairs = 5}) == AgainstThreshold::undecided);
}

TEST_CASE("geometric_mean: of 2 and 8 is 4", "[ratio]") {
  const std::array ratios = {2.0, 8.0};
  CHECK(geometric_mean(ratios) == Approx(4.0));
}

}  // namespace tbci::mean_ratio_test
