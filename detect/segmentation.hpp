// The levels that explain a series best. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::detect {

/// Sums and sums of squares of every stretch of a series, in constant time. [first, end) is a stretch of nights.
class Stretches {
 public:
  explicit Stretches(std::span<const double> values);
  std::size_t size() const { return sums_.size() - 1; }
  double mean(std::size_t first, std::size_t end) const {
    return (sums_[end] - sums_[first]) / static_cast<double>(end - first);
  }
  /// Sum of squared distances from the stretch's own mean.
  double spread(std::size_t first, std::size_t end) const {
    const double sum = sums_[end] - sums_[first];
    return squares_[end] - squares_[first] - sum * sum / static_cast<double>(end - first);
  }
  /// What `spread` of [first, end) is less when it is parted at `middle`.
  double gain(std::size_t first, std::size_t middle, std::size_t end) const {
    const double difference = mean(first, middle) - mean(middle, end);
    const auto left = static_cast<double>(middle - first), right = static_cast<double>(end - middle);
    return difference * difference * left * right / (left + right);
  }
  /// Sum of the squares of all values.
  double squares() const { return squares_.back(); }
  /// Where [first, end) is parted best, at least `min_segment` nights from both ends; `first` where it is too short.
  std::size_t best_split(std::size_t first, std::size_t end, std::size_t min_segment) const;

 private:
  std::vector<double> sums_, squares_;
};

/// First nights of the levels after the first one: of all partitions into levels of at least `min_segment` nights the
/// one with the least sum of spreads plus `price` a boundary. Optimal partitioning with functional pruning (Maidstone,
/// Hocking, Rigaill and Fearnhead, "On optimal multiple changepoint algorithms for large data", Statistics and
/// Computing 27, 2017, FPOP), which is exact; a start takes part once its level has min_segment nights. A price that
/// would drown in rounding is raised to 1e-12 of the sum of squares.
std::vector<std::size_t> cheapest_levels(const Stretches& stretches, std::size_t min_segment, double price);

/// Moves each boundary to the best place between its neighbours, until nothing moves (or ten times).
void settle(const Stretches& stretches, std::size_t min_segment, std::vector<std::size_t>& boundaries);

}  // namespace tbci::detect
