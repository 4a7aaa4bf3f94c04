// The grid of levels and noises that a posterior sums over. Pure. For bisect/posterior.cpp, bisect/parent_check.cpp and
// their tests.
#pragma once

#include <cstddef>
#include <vector>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

/// Equally spaced levels.
struct LevelGrid {
  double low = 0, spacing = 0;
  std::size_t points = 0;
  double at(std::size_t i) const { return low + spacing * static_cast<double>(i); }
  /// The point nearest to a level.
  std::size_t nearest(double level) const;
  /// How many points are lower than a level.
  std::size_t points_below(double level) const;
};

/// Covers the levels of both ends and of all classes with at least two readings, and some room for a step beyond them.
LevelGrid level_grid_of(const LevelData& data, const LevelSettings& settings);

/// A noise with its prior probability.
struct Noise {
  double scale = 0, prior = 0;
};
/// A geometric sequence that begins at the smallest noise the grid resolves. The priors add up to 1.
std::vector<Noise> noises_of(const LevelGrid& grid, const LevelSettings& settings);

/// Numbers with a common scale: each is its value times exp(log_scale).
struct ScaledValues {
  std::vector<double> values;
  double log_scale = 0;
};

/// The likelihood of a class's readings at each level of the grid.
ScaledValues likelihood(const Readings& readings, const LevelGrid& grid, double noise, const LevelSettings& settings);

}  // namespace tbci::bisect
