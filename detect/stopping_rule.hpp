// When enough processes were measured.
#pragma once

#include <optional>
#include <span>

namespace tbci::detect {

/// Where the median of what fresh processes give lies. Both ends are values of processes, or between two of them:
/// nothing is assumed of how they are spread.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
  /// (high - low) / 2 as a fraction of the median. Infinite where the median is not above 0.
  double relative_half_width() const;
};

/// The interval between two order statistics, interpolated to the level that is asked for (Hettmansperger and Sheather,
/// "Confidence intervals based on interpolated order statistics", 1986). Nothing where there are too few values: n of
/// them reach 1 - 2^(1-n) at the most, so that 90% takes 5. Values are finite. Pure.
std::optional<MedianInterval> median_interval(std::span<const double> values, double confidence);

struct Sampling {
  int least = 5;              ///< processes, whatever they give
  int most = 10;              ///< processes, whatever they give
  double half_width = 0.025;  ///< of the interval, relative to the median, that is good enough
  double confidence = 0.9;    ///< the highest round level that five processes reach
};

/// What a case has by now.
struct Sampled {
  std::span<const double> values;  ///< medians of the processes that ended as they should, in the order of measuring
  int processes = 0;               ///< all that were started
};

/// Whether another process is wanted. A case none of whose processes gave a value has had its chance with `least`. The
/// answer depends only on the measurements, so an interrupted case resumes. Pure.
bool wants_more(const Sampled& sampled, const Sampling& sampling);

}  // namespace tbci::detect
