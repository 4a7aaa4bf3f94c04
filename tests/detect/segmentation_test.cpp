#include "detect/segmentation.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"

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
  Nights boundaries, tried;

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

}  // namespace

TEST_CASE("Segmentation: means, spreads and gains are those of the values", "[detect]") {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const detect::Stretches stretches(values);
  CHECK(stretches.size() == 6);
  CHECK(stretches.mean(1, 4) == Approx(14.0 / 3));
  CHECK(stretches.spread(1, 4) == Approx(spread_of(values, 1, 4)));
  const double gain = spread_of(values, 0, 6) - spread_of(values, 0, 4) - spread_of(values, 4, 6);
  CHECK(stretches.gain(0, 4, 6) == Approx(gain));
  std::vector<double> gains(7, -1);
  stretches.gains_of_windows(2, gains);
  CHECK(gains[3] == Approx(stretches.gain(1, 3, 5)));
  CHECK(gains[1] == -1);
  CHECK(stretches.best_split(0, 6, 1) == 4);
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
    const detect::Stretches stretches(values);
    auto found = detect::cheapest_levels(stretches, 3, 6.0);
    detect::settle(stretches, 3, found);
    CHECK(found == cheapest.boundaries);
  }
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
