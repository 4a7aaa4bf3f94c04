#include "suite/statistics.hpp"

#include "tests/suite/torch_and_catch.hpp"

using tbci::suite::Slope;
using tbci::suite::theil_sen;

namespace {

struct FromScipy {
  std::vector<double> values;
  double slope, low, high;
};

}  // namespace

TEST_CASE("Theil-Sen: the slope is the median of the slopes of all pairs", "[suite]") {
  CHECK(theil_sen({}).value == 0.0);
  CHECK(theil_sen({7.0}).value == 0.0);
  CHECK(theil_sen({5.0, 5.0, 5.0, 5.0}).value == 0.0);
  CHECK(theil_sen({0.0, 2.0, 4.0, 6.0}).value == 2.0);
  // Pairs of 1, 2, 4: 1, 3/2, 2.
  CHECK(theil_sen({1.0, 2.0, 4.0}).value == 1.5);
  // Pairs of 0, 1, 10, 3: 1, 5, 1, 9, 1, -7. Sorted: -7 1 1 1 5 9.
  CHECK(theil_sen({0.0, 1.0, 10.0, 3.0}).value == 1.0);
}

TEST_CASE("Theil-Sen: slope and interval are SciPy's, with equal values and without", "[suite]") {
  // SciPy 1.17.1: stats.theilslopes(values, alpha=0.99).
  const std::vector<FromScipy> all = {
      {{0, 5.5, 9, 15.2, 20, 26, 29, 35.5, 40, 44, 51, 55}, 5.0, 4.8, 5.25},
      {{0, 0, 0, 0, 0, 0, 0, 100, 100, 100}, 0.0, 0.0, 20.0},
      {{0, 0, 0, 0, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12}, 1.0, 0.8, 4.0 / 3.0},
      {{3, 1, 4, 1, 5, 9, 2}, 0.5, -3.0, 4.0},
      {{0, 1, 2, 3, 4, 5.5}, 1.0, 1.0, 1.5},
      {{0, 3, 6, 9, 1000, 15, 18, 21, 24, 27, 30}, 3.0, 3.0, 3.0},
  };
  for (const FromScipy& one : all) {
    const Slope slope = theil_sen(one.values);
    INFO(one.values.size());
    CHECK(slope.value == tbci::test::Approx(one.slope));
    REQUIRE(slope.interval.has_value());
    CHECK(slope.interval->low == tbci::test::Approx(one.low));
    CHECK(slope.interval->high == tbci::test::Approx(one.high));
  }
}

TEST_CASE("Theil-Sen: equal values give a certain 0, and fewer than six values give no interval", "[suite]") {
  const Slope flat = theil_sen(std::vector<double>(8, 5.0));
  REQUIRE(flat.interval.has_value());
  CHECK(flat.interval->low == 0.0);
  CHECK(flat.interval->high == 0.0);
  CHECK_FALSE(theil_sen({0, 1, 2, 3, 4}).interval.has_value());
  CHECK(theil_sen({0, 1, 2, 3, 4, 5}).interval.has_value());
}

TEST_CASE("Theil-Sen: one step among flat values is not a certain slope", "[suite]") {
  std::vector<double> step(40, 0.0);
  for (std::size_t at = 1; at < step.size(); ++at) {
    std::vector<double> values = step;
    for (std::size_t i = at; i < values.size(); ++i) values[i] = 1e6;
    INFO(at);
    CHECK(theil_sen(values).interval->low == 0.0);
  }
}

TEST_CASE("Theil-Sen: a long series is thinned, not refused", "[suite]") {
  std::vector<double> line;
  for (int i = 0; i < 25000; ++i) line.push_back(4.0 * i);
  const Slope slope = theil_sen(line);
  CHECK(slope.value == 4.0);
  REQUIRE(slope.interval.has_value());
  CHECK(slope.interval->low == 4.0);
  CHECK(slope.interval->high == 4.0);
}
