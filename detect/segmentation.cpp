#include "detect/segmentation.hpp"

#include <algorithm>
#include <limits>

namespace tbci::detect {

namespace {

// Whether none within `near` places of [first, last] is above the one at `place`. Looks from there outwards: of those
// that are no peaks, most have a higher neighbour close by.
bool is_peak(std::span<const double> gains, std::size_t place, std::size_t near, std::size_t first, std::size_t last) {
  for (std::size_t away = 1; away <= near; ++away) {
    if (place >= first + away && gains[place - away] > gains[place]) return false;
    if (place + away <= last && gains[place + away] > gains[place]) return false;
  }
  return true;
}

// Places that are the best of their neighbourhood for some window length.
std::vector<std::size_t> promising(const Stretches& stretches, std::size_t min_segment, double least_gain) {
  const std::size_t n = stretches.size();
  std::vector<std::size_t> places;
  std::vector<double> gains(n + 1);
  for (std::size_t window = min_segment; 2 * window <= n; window += std::max<std::size_t>(1, window / 2)) {
    stretches.gains_of_windows(window, gains);
    const std::size_t near = std::max<std::size_t>(1, window / 2);
    for (std::size_t i = window; i + window <= n; ++i) {
      if (gains[i] >= least_gain && is_peak(gains, i, near, window, n - window)) places.push_back(i);
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

void Stretches::gains_of_windows(std::size_t window, std::span<double> gains) const {
  const double share = 1 / (2 * static_cast<double>(window));
  for (std::size_t i = window; i + window < sums_.size(); ++i) {
    const double difference = sums_[i + window] - 2 * sums_[i] + sums_[i - window];
    gains[i] = difference * difference * share;
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
  // Starts that the best partition may still have, each with the end at which a new level became cheaper than to go on
  // (Killick, Fearnhead and Eckley, 2012): from min_segment nights after it, the start is out.
  struct Start {
    std::size_t place;
    std::size_t beaten_at;
  };
  std::vector<Start> starts;
  for (std::size_t end = 1; end < ends.size(); ++end) {
    starts.push_back({end - 1, n});
    std::erase_if(starts, [&](const Start& start) { return start.beaten_at + min_segment <= ends[end]; });
    for (const Start& start : starts) {
      if (ends[start.place] + min_segment > ends[end]) break;
      const double value = cost[start.place] + stretches.spread(ends[start.place], ends[end]) + price;
      if (value < cost[end]) cost[end] = value, previous[end] = start.place;
    }
    for (Start& start : starts) {
      if (ends[start.place] + min_segment > ends[end]) break;
      const double value = cost[start.place] + stretches.spread(ends[start.place], ends[end]);
      if (value > cost[end]) start.beaten_at = std::min(start.beaten_at, ends[end]);
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
