// How large a change is, from the readings on its two sides: the estimate and the 95% interval that a search reports.
// Pure; safe from any thread.
//
// The posterior of bisect/posterior.hpp decides what to measure. It sums over a grid of levels and over a smallest
// step, and both would show in an estimate. This one knows which readings lie on which side, so it needs neither: any
// change is as likely as any other before the readings.
#pragma once

#include <span>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

/// Readings of two builds, in an additive unit. Pairs, or readings of either side alone, or both.
struct ChangeReadings {
  std::span<const double> effects{};          ///< of pairs: the second build against the first
  std::span<const double> before{}, after{};  ///< taken alone; one of them empty: both are ignored
};

/// What is known of the noise before these readings.
struct ChangeNoise {
  double typical = 0;        ///< median of the standard deviation of a reading taken alone; above 0
  double spread = 0.25;      ///< standard deviation of its logarithm
  double floor = 0;          ///< smallest standard deviation of a reading; above 0
  double outliers = 0.02;    ///< share of readings that are too high; of pairs as many are too low
  double outlier_width = 0;  ///< outliers spread over this width; above 0
};

/// The mean, and the bounds that hold the change with 95%. Asserts that there are readings of both sides.
LevelEstimate estimate_change(const ChangeReadings& readings, const ChangeNoise& noise);

}  // namespace tbci::bisect
