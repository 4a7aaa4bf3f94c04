// Reference values: NumPy 2 and SciPy 1.17. Variances as w' R w, with w the weights of the two means and R the Toeplitz
// matrix of correlation^|i - j|; scales from sorted arrays, as the header defines them.
#include "detect/series_noise.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::series_noise_test {

namespace detect = tbci::detect;
using tbci::test::Approx;

namespace {

const std::vector<double> with_a_spike = {5.1, 5.3, 4.9, 5.0, 5.6, 5.2, 9.0, 5.1, 4.8, 5.0, 5.3, 5.2};

// Gaussian, of deviation 1, correlated `correlation` from each to the next.
std::vector<double> correlated(std::size_t count, double correlation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> gaussian;
  std::vector<double> values = {gaussian(random)};
  while (values.size() < count) {
    values.push_back(correlation * values.back() + std::sqrt(1 - correlation * correlation) * gaussian(random));
  }
  return values;
}

}  // namespace

TEST_CASE("Series noise: the variance of a step between correlated means is that of the matrices", "[detect]") {
  const auto variance = [](double left, double right, double correlation) {
    return detect::SeriesNoise{1, correlation, 10}.variance_of_step(left, right);
  };
  CHECK(variance(3, 3, 0.3) == Approx(0.8445266666666665).epsilon(1e-12));
  CHECK(variance(5, 40, 0.6) == Approx(0.5840565000524964).epsilon(1e-12));
  CHECK(variance(100, 7, 0.9) == Approx(0.8356771626004486).epsilon(1e-12));
  CHECK(variance(3, 8, 0) == Approx(0.4583333333333333).epsilon(1e-12));
}

TEST_CASE("Series noise: the deviation of differences and of residuals is NumPy's", "[detect]") {
  CHECK(detect::deviation_of_differences(with_a_spike) == Approx(0.3145069541361524).epsilon(1e-12));
  std::vector<double> residuals;
  for (double value : with_a_spike) residuals.push_back(value - 5.1);
  const auto scale = detect::scale_of_residuals(residuals, 2);
  CHECK(scale.core == Approx(0.29652).epsilon(1e-9));
  CHECK(scale.deviation == Approx(0.3593489938207704).epsilon(1e-9));  // the spike is clipped at 0.88956
}

TEST_CASE("Series noise: a wild share that is not an exception counts in full", "[detect]") {
  auto residuals = correlated(100, 0, 12);
  const double calm = detect::scale_of_residuals(residuals, 1).deviation;
  for (std::size_t i = 0; i < 4; ++i) residuals[i * 25] = 100;
  CHECK(detect::scale_of_residuals(residuals, 1).deviation < 1.5 * calm);
  for (std::size_t i = 0; i < 20; ++i) residuals[i * 5] = 100;
  CHECK(detect::scale_of_residuals(residuals, 1).deviation > 40 * calm);
}

TEST_CASE("Series noise: wild nights each by itself are clipped, those that stay beside each other are not",
          "[detect]") {
  const std::vector<double> residuals = {1, -1, 50, 1, -1, 2, -40, 1, 20, 30};
  const std::vector<double> calm = {1, -1, -1, 1, -1, 2, 1, 1, 20, 30};
  // (1 + 1 + 9 + 1 + 1 + 4 + 9 + 1 + 3 * 400 + 3 * 900) / 8
  CHECK(detect::deviation_beside_spikes(residuals, calm, 1, 2) == Approx(std::sqrt(3927.0 / 8)));
  CHECK(detect::deviation_beside_spikes(residuals, residuals, 100, 0) == Approx(std::sqrt(5409.0 / 10)));
}

TEST_CASE("Series noise: where most differences are 0, the others are not taken for none", "[detect]") {
  const std::vector<double> values = {1, 1, 1, 1, 1, 3, 3, 3, 3};
  CHECK(detect::deviation_of_differences(values) == Approx(2 / std::sqrt(8.0) / std::sqrt(2.0)));
  CHECK(detect::deviation_of_differences(std::vector<double>(9, 1.0)) == 0);
}

TEST_CASE("Series noise: spikes are cut off, levels stay", "[detect]") {
  const std::vector<double> values = {1, 1.1, 9, 1, 1.1, 1, 7, 7.1, 7, 1, 1.1, 1, 1, 2, 1, 8};
  const auto calm = detect::without_spikes(values, 3, 0.8);
  CHECK(calm == std::vector<double>{1, 1.1, 1.1, 1, 1.1, 1, 7, 7.1, 7, 1, 1.1, 1, 1, 1.8, 1, 1});
  CHECK(detect::without_spikes(values, 1, 0.8) == values);
  CHECK(detect::without_spikes(std::vector<double>{1, 1, 9, 1}, 3, 0.8) == std::vector<double>{1, 1, 9, 1});
}

TEST_CASE("Series noise: two nights between a spike and a level are not a level, and go with what is around",
          "[detect]") {
  const auto calm = detect::without_spikes(std::vector<double>{1, 1, 1, 9, 1, 1, 7, 7, 7, 7}, 3, 0.8);
  CHECK(calm == std::vector<double>{1, 1, 1, 1, 1, 7, 7, 7, 7, 7});
}

TEST_CASE("Series noise: correlation is found, steps and spikes are not taken for it", "[detect]") {
  const double correlation = GENERATE(0.0, 0.3, 0.6);
  constexpr unsigned seed = 9;
  auto values = correlated(4000, correlation, seed);
  CAPTURE(correlation, seed);
  CHECK(detect::correlation_of_differences(values) == Approx(correlation).margin(0.06));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i / 500 % 2 == 0 ? 0 : 6;
  values[100] = values[2100] = 1000;
  CHECK(detect::correlation_of_differences(values) == Approx(correlation).margin(0.06));
}

TEST_CASE("Series noise: what levels explain is not correlation", "[detect]") {
  auto values = correlated(400, 0, 4);
  std::vector<std::size_t> boundaries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += i / 5 % 2 == 0 ? 0 : 8;
    if (i > 0 && i % 5 == 0) boundaries.push_back(i);
  }
  CHECK(detect::correlation_of_differences(values) > 0.25);
  CHECK(detect::correlation_of_differences(values, boundaries) < 0.12);
}

TEST_CASE("Series noise: few nights tell nothing of correlation", "[detect]") {
  const auto values = correlated(60, 0.9, 3);
  const auto of_first = [&](std::size_t count) {
    return detect::correlation_of_differences(std::span(values).first(count));
  };
  CHECK(of_first(60) > 0.5);
  CHECK(of_first(18) == 0);
  CHECK(of_first(25) < 0.6 * of_first(60));
}

}  // namespace tbci::series_noise_test
