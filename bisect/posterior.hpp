// What the readings of a day's builds say about where its steps lie. Pure; safe from any thread.
//
// The model: each class of commits (neighbours whose compiled inputs are equal) has a level. Along the day the level
// stays as it is but for a few steps, each of which takes it to a new one. A reading is the level of its class plus
// Gaussian noise, but for a small share of wild ones, which may lie anywhere (a slow process, a busy machine). Levels,
// positions, number of steps and noise are all summed over, on a lattice of levels and of noises, with the forward and
// backward recursions of Fearnhead, "Exact and efficient Bayesian inference for multiple changepoint problems"
// (Statistics and Computing 16, 2006). So "no step", "one step at k" and "steps at k and l" are weighed in one sum.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::bisect {

/// The readings of one class, in one unit that can be added up: logarithms of times, or bytes.
struct Readings {
  std::size_t at = 0;          ///< the class
  std::vector<double> values;  ///< all finite
  double power = 1;            ///< below 1 where the same readings stand for several classes: they count once
};

struct LevelData {
  std::vector<Readings> classes;    ///< ascending; the first is the good end, the last one the bad end
  std::span<const double> weights;  ///< of each class of the day: how likely a step lies at it, above 0
  bool against_good_end = false;    ///< values are effects of pairs: the level of the good end is 0
};

struct LevelSettings {
  double least_step = 0;      ///< a smaller difference of levels is no step; above 0
  double typical_noise = 0;   ///< standard deviation of a reading: the median of what is expected; above 0
  double noise_spread = 1;    ///< of the logarithm of the noise about it
  double noise_floor = 0;     ///< no process repeats itself better; above 0
  double wild_above = 0.02;   ///< share of the readings that are too high: a process may well be slow
  double wild_below = 0.002;  ///< share of those that are too low: hardly ever is one too fast
  double wild_width = 0;      ///< over which they are spread, or over all levels where these are wider; above 0
  double bound_tail = 1e-3;   ///< probability beyond each bound of a level
};

/// How likely so many steps are before anything is measured. Few days have more than one in the same series.
inline constexpr double prior_of_steps[] = {0.2, 0.76, 0.03, 0.008, 0.002};

struct Level {
  double mean = 0, low = 0, high = 0;
};

/// Index j: the j-th of LevelData::classes.
struct Posterior {
  std::vector<double> change;  ///< that a step lies after class j, at or before class j + 1
  std::vector<double> first;   ///< that no step lies at or before class j: it is as the good end
  std::vector<double> last;    ///< that no step lies after class j: it is as the bad end
  std::vector<Level> levels;
  double none = 1, one = 0, several = 0;
  double noise = 0;  ///< mean of the standard deviation of a reading
};

/// `data` has at least two classes (asserts). A class without values is summed over.
Posterior posterior_of(const LevelData& data, const LevelSettings& settings);

}  // namespace tbci::bisect
