// Where the level of a whole history changes. For pages, `tbci history` and localising; verdicts are made by `confirm`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::detect {

struct ChangePointOptions {
  int min_segment = 3;      ///< nights a level must last to count as one; below 1 is taken as 1
  double alpha = 1e-4;      ///< probability of a change point where there is none
  double least_change = 0;  ///< relative, as in |after / before - 1|; smaller steps are not reported
};

struct ChangePoint {
  std::size_t night = 0;  ///< index of the first value of the new level
  double before = 0;      ///< median of the level that ends here, in the unit of the values
  double after = 0;       ///< median of the level that begins here
  double change = 0;      ///< after / before - 1
  double p = 0;           ///< of a step as large as this where there is none
};

/// Change points of a series with one value a night, oldest first; every value finite and above 0. In order of time,
/// never nearer to each other or to an end than `min_segment` nights. Fewer than twice `min_segment` values have none.
/// Pure; safe from any thread.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options = {});

}  // namespace tbci::detect
