#include "detect/segmentation.hpp"

#include <algorithm>
#include <limits>

namespace tbci::detect {

namespace {

// Places that are the best of their neighbourhood for some window length.
std::vector<std::size_t> promising(const Stretches& stretches, std::size_t min_segment, double least_gain) {
  const std::size_t n = stretches.size();
  std::vector<std::size_t> places;
  std::vector<double> gains(n + 1);
  for (std::size_t window = min_segment; 2 * window <= n; window += std::max<std::size_t>(1, window / 2)) {
    for (std::size_t i = window; i + window <= n; ++i) gains[i] = stretches.gain(i - window, i, i + window);
    const std::size_t near = std::max<std::size_t>(1, window / 2);
    for (std::size_t i = window; i + window <= n; ++i) {
      const std::size_t from = std::max(window, i - std::min(i, near)), to = std::min(n - window, i + near);
      // Few are peaks at all, so that few neighbourhoods are searched.
      if (gains[i] < least_gain || (i > from && gains[i - 1] > gains[i]) || (i < to && gains[i + 1] > gains[i]))
        continue;
      const auto at = [&](std::size_t place) { return gains.begin() + static_cast<std::ptrdiff_t>(place); };
      if (gains[i] >= *std::max_element(at(from), at(to) + 1)) places.push_back(i);
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

Stretches::Stretches(std::span<const double> values) {
  sums_.reserve(values.size() + 1);
  squares_.reserve(values.size() + 1);
  double sum = 0, squares = 0;
  sums_.push_back(0);
  squares_.push_back(0);
  for (double value : values) {
    sums_.push_back(sum += value);
    squares_.push_back(squares += value * value);
  }
}

std::size_t Stretches::best_split(std::size_t first, std::size_t end, std::size_t min_segment) const {
  std::size_t best = first;
  double most = -1;
  for (std::size_t i = first + min_segment; i + min_segment <= end; ++i) {
    const double value = gain(first, i, end);
    if (value > most) most = value, best = i;
  }
  return best;
}

std::vector<std::size_t> cheapest_levels(const Stretches& stretches, std::size_t min_segment, double price) {
  const std::size_t n = stretches.size();
  if (n < 2 * min_segment) return {};
  std::vector<std::size_t> ends = {0};
  const auto places = promising(stretches, min_segment, price / 2);
  ends.insert(ends.end(), places.begin(), places.end());
  ends.push_back(n);

  constexpr double impossible = std::numeric_limits<double>::infinity();
  std::vector<double> cost(ends.size(), impossible);
  std::vector<std::size_t> previous(ends.size(), 0);
  cost[0] = -price;
  for (std::size_t end = 1; end < ends.size(); ++end) {
    for (std::size_t start = 0; start < end && ends[start] + min_segment <= ends[end]; ++start) {
      const double value = cost[start] + stretches.spread(ends[start], ends[end]) + price;
      if (value < cost[end]) cost[end] = value, previous[end] = start;
    }
  }
  std::vector<std::size_t> boundaries;
  for (std::size_t end = previous.back(); end > 0; end = previous[end]) boundaries.push_back(ends[end]);
  std::reverse(boundaries.begin(), boundaries.end());
  return boundaries;
}

void settle(const Stretches& stretches, std::size_t min_segment, std::vector<std::size_t>& boundaries) {
  bool moved = true;
  for (int round = 0; moved && round < 10; ++round) {
    moved = false;
    for (std::size_t k = 0; k < boundaries.size(); ++k) {
      const std::size_t first = k == 0 ? 0 : boundaries[k - 1];
      const std::size_t end = k + 1 == boundaries.size() ? stretches.size() : boundaries[k + 1];
      const std::size_t best = stretches.best_split(first, end, min_segment);
      moved = moved || best != boundaries[k];
      boundaries[k] = best;
    }
  }
}

}  // namespace tbci::detect
