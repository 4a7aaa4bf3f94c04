// Estimates that a few wild values do not spoil. Pure; safe from any thread.
#pragma once

#include <span>

namespace tbci::detect {

/// Median absolute deviation from the median, times 1.4826: the standard deviation of Gaussian values. Not empty.
double scaled_mad(std::span<const double> values);

/// A location with how well it is known.
struct Estimate {
  double location = 0;
  double standard_error = 0;
  double degrees = 0;  ///< of freedom of its Student t; 0: nothing is known of the error
};

/// Trimmed mean with the standard error of Tukey and McLaughlin (1963), as in Yuen (1974): winsorised variance,
/// h - 1 degrees of freedom where h values are left. `trim` is the share cut from each end, below 0.5.
/// `scale_floor`: the standard deviation of one value is never taken to be smaller, so that equal values are not
/// taken for perfect knowledge. Not empty; all finite.
Estimate trimmed_mean(std::span<const double> values, double trim, double scale_floor);
/// Where the values are the effects of pairs.
inline constexpr double trimmed_share_of_pairs = 0.2;

/// Probability that Student's t is above `t`.
double student_t_upper_tail(double t, double degrees);
/// The t that is exceeded with probability `tail` (0 < tail < 1).
double student_t_upper_quantile(double tail, double degrees);

/// One-sided bounds: each is passed with probability `alpha` by chance. Infinite where `degrees` is 0.
double lower_bound(const Estimate& estimate, double alpha);
double upper_bound(const Estimate& estimate, double alpha);

}  // namespace tbci::detect
