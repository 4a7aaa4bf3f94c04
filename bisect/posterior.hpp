// The posterior probability of where the steps of one series lie. Pure; safe from any thread.
//
// The model: each class of commits (neighbours whose compiled inputs are equal) has a level. The level is constant from
// class to class except at a few steps, each of which changes it to a new level. A reading is the level of its class
// plus Gaussian noise, except for a small share of outliers, which may lie anywhere (a slow process, a busy machine).
// The posterior sums over levels, positions, number of steps and noise, on a grid of levels and noises, with the
// forward and backward recursions of Fearnhead, "Exact and efficient Bayesian inference for multiple changepoint
// problems" (Statistics and Computing 16, 2006). One sum therefore compares "no step", "one step at k" and "steps at k
// and l".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::bisect {

/// The readings of one class, in an additive unit: logarithms of times, or bytes.
struct Readings {
  std::size_t at = 0;          ///< the class
  std::vector<double> values;  ///< all finite
  double power = 1;            ///< below 1 where several classes share the same readings: these count once
};

struct LevelData {
  std::vector<Readings> classes;    ///< ascending; the first is the good end, the last one the bad end
  std::span<const double> weights;  ///< of each class of the search, above 0: how likely a step lies at it
  bool against_good_end = false;    ///< values are effects of pairs with the good end, whose level is 0
};

struct LevelSettings {
  double least_step = 0;          ///< smallest difference of levels that counts as a step; above 0
  double typical_noise = 0;       ///< prior median of the standard deviation of a reading; above 0
  double noise_spread = 1;        ///< prior standard deviation of the logarithm of the noise
  double noise_floor = 0;         ///< smallest possible noise; above 0
  double outliers_above = 0.02;   ///< share of readings that are too high: slow processes are common
  double outliers_below = 0.002;  ///< share of readings that are too low: fast processes are rare
  double outlier_width = 0;  ///< outliers spread over this width, or over the whole grid where it is wider; above 0
  double bound_tail = 1e-3;  ///< probability beyond each bound of a LevelEstimate
};

/// Prior probability of 0, 1, 2, ... steps. Few ranges have more than one step in the same series.
inline constexpr double prior_of_steps[] = {0.2, 0.76, 0.03, 0.008, 0.002};

/// The posterior mean of a level, with its bounds (see LevelSettings::bound_tail).
struct LevelEstimate {
  double mean = 0, low = 0, high = 0;
};

/// Probabilities. Index j: the j-th of LevelData::classes.
struct Posterior {
  std::vector<double> step_after;     ///< a step lies after class j, at or before class j + 1
  std::vector<double> like_good_end;  ///< no step lies at or before class j
  std::vector<double> like_bad_end;   ///< no step lies after class j
  std::vector<LevelEstimate> levels;
  double none = 1, one = 0, several = 0;  ///< that many steps
  double noise = 0;                       ///< posterior mean of the standard deviation of a reading
};

/// `data` has at least two classes (asserts). Sums over the level of a class without readings.
Posterior posterior_of(const LevelData& data, const LevelSettings& settings);

}  // namespace tbci::bisect
