#include "detect/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tbci::detect {

namespace {

// Least price of a boundary, as a share of the sum of squares: below it, rounding would decide.
constexpr double rounding = 1e-12;

// Means of the last level for which the partition whose last level begins at `start` is the cheapest.
struct Piece {
  double from, to;
  std::size_t start;
};

// For every mean of the last level, where that level begins in the cheapest partition up to some night. Of two
// starts, the nights that both have in their last level do not tell them apart: who is beaten for a mean stays beaten.
class Cheapest {
 public:
  Cheapest(const Stretches& stretches, std::span<const double> cost) : stretches_(stretches), cost_(cost) {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  // `start` is after all earlier ones, and takes the means for which the partition up to there is cheaper than an
  // earlier start's with the nights in between at that mean.
  void add(std::size_t start) {
    constexpr double everywhere = std::numeric_limits<double>::infinity();
    next_.clear();
    if (pieces_.empty()) next_.push_back({-everywhere, everywhere, start});
    for (const Piece& piece : pieces_) {
      const double margin = cost_[start] - cost_[piece.start] - stretches_.spread(piece.start, start);
      const double middle = stretches_.mean(piece.start, start);
      const double reach = margin > 0 ? std::sqrt(margin / static_cast<double>(start - piece.start)) : -1;
      const double from = std::max(piece.from, middle - reach), to = std::min(piece.to, middle + reach);
      if (from >= to) {
        append({piece.from, piece.to, start});
        continue;
      }
      if (piece.from < from) append({piece.from, from, start});
      append({from, to, piece.start});
      if (to < piece.to) append({to, piece.to, start});
    }
    pieces_.swap(next_);
  }

 private:
  void append(const Piece& piece) {
    if (!next_.empty() && next_.back().start == piece.start) {
      next_.back().to = piece.to;
    } else {
      next_.push_back(piece);
    }
  }

  const Stretches& stretches_;
  std::span<const double> cost_;  // of the cheapest partition up to each night
  std::vector<Piece> pieces_, next_;
};

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
  price = std::max(price, rounding * stretches.squares());
  std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  cost[0] = -price;
  Cheapest cheapest(stretches, cost);
  for (std::size_t end = min_segment; end <= n; ++end) {
    const std::size_t newest = end - min_segment;
    if (newest == 0 || newest >= min_segment) cheapest.add(newest);
    for (const Piece& piece : cheapest.pieces()) {
      const double value = cost[piece.start] + stretches.spread(piece.start, end) + price;
      if (value < cost[end]) cost[end] = value, previous[end] = piece.start;
    }
  }
  std::vector<std::size_t> boundaries;
  for (std::size_t start = previous[n]; start > 0; start = previous[start]) boundaries.push_back(start);
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
