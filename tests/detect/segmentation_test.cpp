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

}  // namespace

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
