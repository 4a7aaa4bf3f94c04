// The one statistic that the worker computes itself; all others are the service's.
#pragma once

#include <vector>

namespace tbci::suite {

// The Theil-Sen slope of values taken at equal steps: the median of the slopes between all pairs, in units a step.
// A few outliers do not move it. 0 for fewer than two values.
double theil_sen_slope(const std::vector<double>& values);

}  // namespace tbci::suite
