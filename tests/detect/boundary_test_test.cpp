// Reference values: SciPy 1.17, norm.isf(t.sf(t, degrees)).
#include "detect/boundary_test.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::boundary_test_test {

namespace detect = tbci::detect;
using tbci::test::Approx;

namespace {

// +1, -1, +1, ...: a deviation of 1 and no doubt about it.
std::vector<double> even(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(i % 2 == 0 ? 1 : -1);
  return values;
}

// Of deviation 1.
std::vector<double> uneven(std::size_t count) {
  std::mt19937_64 random(20261121);
  std::normal_distribution<double> gaussian;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(gaussian(random));
  return values;
}

double gathering(const std::vector<double>& values, const std::vector<std::size_t>& boundaries) {
  const detect::Stretches stretches(values);
  return detect::BoundaryTest(values, stretches, boundaries, 0).gathering(0, boundaries[0], boundaries[1]);
}

}  // namespace

TEST_CASE("Boundary test: Student's t becomes the Gaussian of SciPy, never more", "[detect]") {
  struct Reference {
    double t, degrees, gaussian;
  };
  const auto reference = GENERATE(values<Reference>({{3, 4, 2.054348558593922},
                                                     {5.5, 20, 4.243325041018247},
                                                     {8, 9, 4.242191017184423},
                                                     {37, 4, 4.658455795495731},
                                                     {4, 300, 3.9448797172662258}}));
  const double gaussian = detect::gaussian_of_student(reference.t, reference.degrees);
  CHECK(gaussian <= reference.gaussian);
  CHECK(gaussian == Approx(reference.gaussian).epsilon(0.025));
}

TEST_CASE("Boundary test: deviations are the step over its standard error", "[detect]") {
  auto values = even(400);
  for (std::size_t i = 200; i < 400; ++i) values[i] += 0.5;
  const detect::Stretches stretches(values);
  const std::vector<std::size_t> boundaries = {200};
  const detect::BoundaryTest test(values, stretches, boundaries, 0);
  const double deviation = std::sqrt(400.0 / 398);
  CHECK(test.noise().deviation == Approx(deviation));
  CHECK(test.noise().degrees == Approx(398));
  const double t = 0.5 / (deviation * std::sqrt(2.0 / 200));
  CHECK(test.deviations(0, 200, 400) == Approx(detect::gaussian_of_student(t, 398)).epsilon(1e-6));
  const detect::BoundaryTest correlated(values, stretches, boundaries, 0.5);
  CHECK(correlated.deviations(0, 200, 400) == Approx(test.deviations(0, 200, 400) / std::sqrt(3.0)).epsilon(0.02));
}

TEST_CASE("Boundary test: a step in a noisy stretch is judged by that stretch", "[detect]") {
  auto values = even(400);
  for (std::size_t i = 300; i < 400; ++i) values[i] *= 3;
  for (std::size_t i = 0; i < 10; ++i) values[100 + i] += 1, values[350 + i] += 1;
  const detect::Stretches stretches(values);
  const std::vector<std::size_t> boundaries;
  const detect::BoundaryTest test(values, stretches, boundaries, 0);
  const double calm = test.deviations(50, 100, 110), noisy = test.deviations(310, 350, 360);
  CHECK(noisy < 0.75 * calm);
}

TEST_CASE("Boundary test: equal values are not certainty", "[detect]") {
  const std::vector<double> values(20, 3.0);
  const detect::Stretches stretches(values);
  const std::vector<std::size_t> boundaries = {10};
  const detect::BoundaryTest test(values, stretches, boundaries, 0);
  CHECK(test.noise().deviation > 0);
  CHECK(test.deviations(0, 10, 20) == 0);
}

TEST_CASE("Boundary test: wild nights gather by chance where there are many of them", "[detect]") {
  // Five in a row, of 300; of the 200 nights before, one in five. SciPy: 295 * 5 * binom.sf(4, 5, 53.65 / 295) = 0.293,
  // where 53.65 = 40 + 1 + 2 sqrt(40) is how many of the 295 others there may well be; a little less where not all 40
  // are as far off as the nearest of the five.
  auto values = uneven(300);
  for (std::size_t i = 200; i < 205; ++i) values[i] += 10;
  CHECK(gathering(values, {200, 205}) == 0);  // none elsewhere
  const detect::Stretches stretches(values);
  CHECK(detect::BoundaryTest(values, stretches, {}, 0).gathering(0, 200, 205) == 0);  // nor as part of one level
  for (std::size_t i = 0; i < 200; i += 5) values[i] += 10;
  CHECK(gathering(values, {200, 205}) == Approx(0.28).margin(0.02));
  for (std::size_t i = 205; i < 212; ++i) values[i] += 10;
  CHECK(gathering(values, {200, 212}) < 1e-4);  // twelve in a row are too many
}

TEST_CASE("Boundary test: a mixed run of 40 nights gathers by chance as well", "[detect]") {
  auto values = uneven(1000);
  for (std::size_t i = 0; i < 1000; i += 5) values[i] += 10;
  for (std::size_t i = 503; i < 540; i += 4) values[i] += i % 5 == 0 ? 0 : 10;  // 16 of 40, where one in five is
  CHECK(gathering(values, {500, 540}) > 0.01);
  for (std::size_t i = 500; i < 540; ++i) values[i] += i % 5 == 0 || i % 4 == 3 ? 0 : 10;
  CHECK(gathering(values, {500, 540}) < 1e-6);
}

TEST_CASE("Boundary test: where noise is Gaussian, nothing is said of gathering", "[detect]") {
  auto values = uneven(300);
  for (std::size_t i = 200; i < 205; ++i) values[i] += 1.5;
  CHECK(gathering(values, {200, 205}) == 0);
}

}  // namespace tbci::boundary_test_test
