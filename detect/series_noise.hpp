// What a series of nights does besides changing its level: spikes, noise, and its correlation from night to night.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::detect {

/// Noise around the levels: stationary, with correlation^k between values k nights apart.
struct SeriesNoise {
  double deviation = 0;    ///< standard deviation of one value; above 0
  double correlation = 0;  ///< 0 <= correlation < 1
  double degrees = 0;      ///< of freedom that `deviation` is known with

  /// Variance of the difference of the means of two neighbouring stretches of `left` and `right` nights, in units of
  /// deviation^2: 1/left + 1/right where nothing is correlated.
  double variance_of_step(double left, double right) const;
  /// Variance of a long mean, times its length, in units of deviation^2: (1 + correlation) / (1 - correlation).
  double long_run() const { return (1 + correlation) / (1 - correlation); }
};

/// The values without what lasts less than `min_segment` nights: one further than `reach` from the median of the
/// 2 * min_segment - 1 values around it becomes that median (Hampel's filter). The running median of that width keeps
/// every level of min_segment nights. Beyond 25 nights the width grows no further.
std::vector<double> without_spikes(std::span<const double> values, int min_segment, double reach);

/// Standard deviation of the noise, of differences from night to night, which know nothing of levels: 1.4826 * median
/// |difference| / sqrt(2). Where half of the differences are 0, their root mean square instead. At least two values.
double deviation_of_differences(std::span<const double> values);

/// Correlation of neighbours from the mean squares of differences over one night and over two, which levels hardly
/// spoil: ratio - 1, as in Chakar, Lebarbier, Levy-Leduc and Robin, "A robust approach for estimating change-points in
/// the mean of an AR(1) process" (Bernoulli 23, 2017), but with clipped squares for their medians, which know it
/// better, and without the differences across `boundaries` (first nights of levels, ascending). 0 where it is below 0.
/// Up to 18 values tell nothing of it and are taken for independent; from 40 on it is believed, in between in part.
double correlation_of_differences(std::span<const double> values, std::span<const std::size_t> boundaries = {});

/// How far residuals reach, of which `fitted` means were taken out.
struct ResidualScale {
  double deviation = 0;  ///< the worst 4% (at least one) may be spikes and are clipped at 3 `core`; more is noise
  double middle = 0;     ///< the residuals' median, where the calm nights lie when others pull the means aside
  double core = 0;       ///< 1.4826 * median |residual - middle|: what the calm half says
};
/// Not empty. At least one degree of freedom is taken to be left.
ResidualScale scale_of_residuals(std::span<const double> residuals, std::size_t fitted);

/// Deviation where many nights may be wild, however far off, as long as each is by itself: `calm` are the residuals of
/// the values `without_spikes`, from the same means, and what lies beyond 3 `core` only in `residuals` is clipped
/// there. What is still wild in `calm` counts in full and `beside_each_other` (3) times, for such nights come together
/// and the means of levels vary the more. As many of both, not empty.
double deviation_beside_spikes(std::span<const double> residuals, std::span<const double> calm, double core,
                               std::size_t fitted);

}  // namespace tbci::detect
