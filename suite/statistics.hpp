// The only statistic that the worker computes; the service computes all others.
#pragma once

#include <optional>
#include <vector>

namespace tbci::suite {

struct SlopeInterval {
  double low;
  double high;
};

struct Slope {
  double value = 0.0;                     // 0 for fewer than two values
  std::optional<SlopeInterval> interval;  // 99%; none for too few values
};

// The fewest values that can give an interval: of five, even a rise at every step has a probability of 2 in 120.
inline constexpr int fewest_for_interval = 6;

// The Theil-Sen slope of values taken at equal steps: the median of the slopes between all pairs, in units a step. A
// few outliers do not move it. Its interval is Sen's: of the N sorted slopes, those C/2 ranks below and above the
// middle, where C is the 99.5% quantile of the Gaussian times the standard deviation of Kendall's S, corrected for
// equal values (Sen, Estimates of the regression coefficient based on Kendall's tau, J. Am. Stat. Assoc. 63, 1968,
// equation 2.6).
Slope theil_sen(const std::vector<double>& values);

}  // namespace tbci::suite
