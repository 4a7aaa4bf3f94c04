// Whether a boundary between two levels is more than chance. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "detect/segmentation.hpp"
#include "detect/series_noise.hpp"

namespace tbci::detect {

/// The Gaussian value that is passed as rarely as `t` of Student's with `degrees`: Wallace, "Bounds on normal
/// approximations to Student's and the chi-square distributions" (1959). Never above it, and from 4 degrees on
/// within 2.5%.
double gaussian_of_student(double t, double degrees);

/// The levels of a series with the noise around them, for judging the boundaries between.
class BoundaryTest {
 public:
  /// `values`: as measured; `stretches`: of the same without spikes; `boundaries`: first nights of all levels but the
  /// first. Referred to, not copied.
  BoundaryTest(std::span<const double> values, const Stretches& stretches, std::span<const std::size_t> boundaries,
               double correlation);

  const SeriesNoise& noise() const { return noise_; }
  /// How many standard errors the levels [first, middle) and [middle, end) are apart, as of a Gaussian. The error is
  /// that of the whole series, or of the nights around `middle` where these are noisier.
  double deviations(std::size_t first, std::size_t middle, std::size_t end) const;
  /// Probability that nights which leave their level by themselves gather somewhere as they do in the shorter of the
  /// two stretches: from the share of nights elsewhere that are as far off. 0 where no more are than Gaussian noise
  /// has.
  double gathering(std::size_t first, std::size_t middle, std::size_t end);

 private:
  // Whether more nights than Gaussian noise has are `distance` or more from their level, `up` (1 or -1): `seen` of
  // `others`.
  bool has_wild(double distance, double up, double seen, double others) const;

  const Stretches& stretches_;
  SeriesNoise noise_;
  double core_ = 0;    // deviation of the calm half of the nights
  double middle_ = 0;  // where it lies, from the level
  std::span<const double> values_;
  std::vector<double> residuals_;
  std::vector<double> sorted_;   // residuals, once they are asked for
  std::vector<double> squares_;  // sums of squared residuals, each clipped, up to a night
};

}  // namespace tbci::detect
