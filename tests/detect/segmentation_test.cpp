#include "detect/segmentation.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::segmentation_test {

namespace detect = tbci::detect;
using tbci::test::Approx;

namespace {

using Nights = std::vector<std::size_t>;

double spread_of(const std::vector<double>& values, std::size_t first, std::size_t end) {
  double mean = 0, squares = 0;
  for (std::size_t i = first; i < end; ++i) mean += values[i] / static_cast<double>(end - first);
  for (std::size_t i = first; i < end; ++i) squares += std::pow(values[i] - mean, 2);
  return squares;
}

// All partitions, one by one.
struct Cheapest {
  const std::vector<double>& values;
  std::size_t least;
  double price;
  double cost = std::numeric_limits<double>::infinity();
  Nights boundaries = {}, tried = {};

  void from(std::size_t first, double spent) {
    const double last = spent + spread_of(values, first, values.size());
    if (values.size() - first >= least && last < cost) cost = last, boundaries = tried;
    for (std::size_t next = first + least; next + least <= values.size(); ++next) {
      tried.push_back(next);
      from(next, spent + spread_of(values, first, next) + price);
      tried.pop_back();
    }
  }
};

// Optimal partitioning as in its definition, every start tried for every end; spreads from the values themselves.
Nights unpruned(const std::vector<double>& values, std::size_t least, double price) {
  const std::size_t n = values.size();
  std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
  Nights previous(n + 1, 0);
  cost[0] = -price;
  for (std::size_t start = 0; start + least <= n; ++start) {
    double mean = 0, spread = 0;  // Welford's
    for (std::size_t end = start + 1; end <= n; ++end) {
      const double away = values[end - 1] - mean;
      mean += away / static_cast<double>(end - start);
      spread += away * (values[end - 1] - mean);
      const double value = cost[start] + spread + price;
      if (end - start >= least && value < cost[end]) cost[end] = value, previous[end] = start;
    }
  }
  Nights boundaries;
  for (std::size_t start = previous[n]; start > 0; start = previous[start])
    boundaries.insert(boundaries.begin(), start);
  return boundaries;
}

}  // namespace

TEST_CASE("Segmentation: means, spreads and gains are those of the values", "[detect]") {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const detect::Stretches stretches(values);
  CHECK(stretches.size() == 6);
  CHECK(stretches.mean(1, 4) == Approx(14.0 / 3));
  CHECK(stretches.spread(1, 4) == Approx(spread_of(values, 1, 4)));
  const double gain = spread_of(values, 0, 6) - spread_of(values, 0, 4) - spread_of(values, 4, 6);
  CHECK(stretches.gain(0, 4, 6) == Approx(gain));
  CHECK(stretches.squares() == Approx(1365));
  CHECK(stretches.best_split(0, 6, 1) == 5);  // gains 554.7, against 546.75 at 4
  CHECK(stretches.best_split(0, 6, 2) == 4);
  CHECK(stretches.best_split(0, 6, 3) == 3);
  CHECK(stretches.best_split(0, 5, 3) == 0);
}

TEST_CASE("Segmentation: the cheapest levels are those of all partitions", "[detect]") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> gaussian;
    std::vector<double> values;
    double level = 0;
    for (int i = 0; i < 16; ++i) {
      if (random() % 5 == 0) level += random() % 2 == 0 ? 4 : -4;
      values.push_back(level + gaussian(random));
    }
    Cheapest cheapest{values, 3, 6.0};
    cheapest.from(0, 0);
    CAPTURE(seed);
    CHECK(detect::cheapest_levels(detect::Stretches(values), 3, 6.0) == cheapest.boundaries);
  }
}

TEST_CASE("Segmentation: pruning changes nothing, whatever the length, the price and the shortest level", "[detect]") {
  const std::size_t least = GENERATE(1U, 2U, 3U, 7U);
  const double price = GENERATE(0.5, 4.0, 15.0);
  const bool rough = GENERATE(false, true);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> gaussian;
    std::vector<double> values;
    double level = 0;
    for (std::size_t i = 0; i < 40 + 30 * seed; ++i) {
      if (random() % 25 == 0) level += 3 * gaussian(random);
      const double noise = gaussian(random);
      values.push_back(level + (rough ? std::pow(noise, 3) : noise));
    }
    CAPTURE(seed, least, price, rough);
    CHECK(detect::cheapest_levels(detect::Stretches(values), least, price) == unpruned(values, least, price));
  }
}

TEST_CASE("Segmentation: equal values have one level, and rounding makes no others", "[detect]") {
  CHECK(detect::cheapest_levels(detect::Stretches(std::vector<double>(5000, 0.1)), 3, 0).empty());
  std::vector<double> values(2000, 0.1);
  values.resize(4000, 0.3);
  CHECK(detect::cheapest_levels(detect::Stretches(values), 3, 1e-17) == Nights{2000});
}

TEST_CASE("Segmentation: boundaries move to where they explain most", "[detect]") {
  std::vector<double> values(40, 0);
  for (std::size_t i = 12; i < 25; ++i) values[i] = 5;
  const detect::Stretches stretches(values);
  Nights boundaries = {5, 30};
  detect::settle(stretches, 3, boundaries);
  CHECK(boundaries == Nights{12, 25});
}

TEST_CASE("Segmentation: too few values have one level", "[detect]") {
  CHECK(detect::cheapest_levels(detect::Stretches(std::vector<double>{1, 9, 1, 9, 1}), 3, 0.1).empty());
}

}  // namespace tbci::segmentation_test
