#include "detect/predict/cost_curve.hpp"

#include "tests/catch.hpp"

namespace tbci::cost_curve_test {

using detect::CostCurve;
using detect::CostPoint;
using Points = std::vector<CostPoint>;

TEST_CASE("Cost curve: a constant and a cost of each unit are found, between the points and beyond them", "[detect]") {
  const CostCurve curve(Points{{100, 800}, {200, 1100}, {400, 1700}});  // 500 and 3 each
  CHECK(curve.is_line());
  CHECK(curve.at(150) == Approx(950));
  CHECK(curve.at(1000) == Approx(3500));
  CHECK(curve.at(0) == Approx(500));
}

TEST_CASE("Cost curve: points that are off by a little share one line, and count by their part", "[detect]") {
  // Proportional, one 4% above and one 4% below: by relative errors neither a constant nor another factor is better.
  const CostCurve curve(Points{{100, 100}, {200, 208}, {400, 384}, {800, 800}});
  CHECK(curve.is_line());
  CHECK(curve.at(300) == Approx(300).epsilon(0.02));
}

TEST_CASE("Cost curve: where a level of the caches ends, it goes from point to point", "[detect]") {
  const CostCurve curve(Points{{100, 100}, {200, 200}, {400, 1200}});
  CHECK_FALSE(curve.is_line());
  CHECK(curve.at(100) == 100);
  CHECK(curve.at(150) == 150);
  CHECK(curve.at(300) == 700);
  CHECK(curve.at(500) == 1700);  // beyond: the last line goes on
  CHECK(curve.at(50) == 50);
}

TEST_CASE("Cost curve: no part of a line is below 0, and neither is a cost", "[detect]") {
  const CostCurve falling(Points{{1, 102}, {2, 100}, {4, 98}});
  CHECK(falling.is_line());
  CHECK(falling.at(1000) == Approx(falling.at(1)));  // not less for more work
  const CostCurve steep(Points{{1, 10}, {2, 100}});
  CHECK(steep.at(0.5) == 0);  // -35 by the line
}

TEST_CASE("Cost curve: where the constant were below 0, the cost of a unit is found without one", "[detect]") {
  const CostCurve curve(Points{{100, 99}, {200, 201}});
  CHECK(curve.is_line());
  CHECK(curve.at(1000) == Approx(997.4).epsilon(0.0001));  // 1020 and -3 with one
}

TEST_CASE("Cost curve: one point costs the same everywhere, and points of one amount are one", "[detect]") {
  CHECK(CostCurve(Points{{7, 30}}).at(70) == Approx(30));
  CHECK(CostCurve(Points{{7, 0}}).at(70) == 0);
  const CostCurve twice(Points{{2, 30}, {1, 10}, {2, 50}});
  CHECK(twice.at(1) == 10);
  CHECK(twice.at(2) == 40);
}

TEST_CASE("Cost curve: values between points may be below 0, and stay beyond the points or go on", "[detect]") {
  const Points points{{10, -4}, {20, 6}, {40, 8}};
  CHECK(detect::value_between(points, 14) == 0);
  CHECK(detect::value_between(points, 30) == 7);
  CHECK(detect::value_between(points, 5) == -4);
  CHECK(detect::value_between(points, 80) == 8);
  CHECK(detect::value_along(points, 80) == 12);
  CHECK(detect::value_along(points, 5) == -9);
  CHECK(detect::value_along({{10, 3}}, 99) == 3);
}

}  // namespace tbci::cost_curve_test
