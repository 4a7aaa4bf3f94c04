#include "detect/mean_ratio.hpp"

#include <array>
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

TEST_CASE("geometric_mean: of 2 and 8 is 4", "[ratio]") {
  const std::array ratios = {2.0, 8.0};
  CHECK(geometric_mean(ratios) == Approx(4.0));
}

}  // namespace tbci::mean_ratio_test
