// The ratio of two things that are measured in turn, and means of ratios.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "detect/effect.hpp"

namespace tbci::detect {

struct MeanRatio {
  double ratio = 1;          ///< after divided by before: the geometric mean
  double low = 1, high = 1;  ///< its 95% interval
  std::size_t pairs = 0;
};

/// Of pairs of positive numbers: exp of the mean of their logarithms' differences, with Student's interval of that
/// mean. Nothing for fewer than two pairs. Asserts that the numbers are positive.
std::optional<MeanRatio> mean_ratio(std::span<const Pair> pairs);

/// The same of two groups of positive numbers that were not measured in turn, as on two machines: the difference of the
/// means of their logarithms, with Welch's interval. `pairs` is the number of the smaller group. Nothing where one has
/// fewer than two.
std::optional<MeanRatio> ratio_of_groups(std::span<const double> before, std::span<const double> after);

/// Whether a change is surely over a threshold, which is a fraction: by the whole interval.
enum class AgainstThreshold { above, below, undecided };
AgainstThreshold against(double threshold, const MeanRatio& ratio);

/// Of ratios of different benchmarks, each above 0. Not empty.
double geometric_mean(std::span<const double> ratios);

}  // namespace tbci::detect
