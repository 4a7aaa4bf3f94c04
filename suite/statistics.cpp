#include "suite/statistics.hpp"

#include <algorithm>
#include <cstddef>

namespace tbci::suite {

double theil_sen_slope(const std::vector<double>& values) {
  // All pairs of a long series would need too much room; every n-th value tells the same.
  constexpr std::size_t most = 1000;
  const std::size_t stride = (values.size() + most - 1) / most;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    for (std::size_t j = i + stride; j < values.size(); j += stride) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  if (slopes.empty()) return 0.0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  if (slopes.size() % 2 == 1) return *middle;
  return (*std::max_element(slopes.begin(), middle) + *middle) / 2.0;
}

}  // namespace tbci::suite
