// Where the level of a whole history changes. For pages, `tbci history` and localising; verdicts are made by `confirm`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::detect {

struct ChangePointOptions {
  int min_segment = 3;      ///< nights a level must last to count as one; below 1 is taken as 1
  double alpha = 1e-3;      ///< most that the probability of any change point in a series without one may be; 0 to 1
  double least_change = 0;  ///< relative, as in |after / before - 1|; smaller steps are not reported
};

struct ChangePoint {
  std::size_t night = 0;  ///< index of the first value of the new level
  double before = 0;      ///< median of the level that ends here, in the unit of the values
  double after = 0;       ///< median of the level that begins here
  double change = 0;      ///< after / before - 1
  double p = 0;           ///< chance of a step as clear as this anywhere in a series of this length without one
};

/// Change points of a series with one value a night, oldest first; every value finite and above 0. In order of time,
/// never nearer to each other or to an end than `min_segment` nights. Fewer than twice `min_segment` values have none.
///
/// Levels are segments of the logarithms that minimise squared error plus a price a segment, on values from which what
/// lasts less than `min_segment` nights was cut. Each boundary then has to pass a test against the noise and its
/// correlation from night to night, with the probability of a chance find anywhere in the series
/// (docs/decisions/0012-change-points.md). No random numbers: the same values give the same answer. O(n log n) in
/// practice. Pure; safe from any thread.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options = {});

}  // namespace tbci::detect
