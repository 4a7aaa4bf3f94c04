// The levels and noises that a posterior is summed over. Pure; of use to bisect/posterior.cpp and its tests.
#pragma once

#include <cstddef>
#include <vector>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

/// Levels in equal distances.
struct Lattice {
  double low = 0, spacing = 0;
  std::size_t points = 0;
  double at(std::size_t i) const { return low + spacing * static_cast<double>(i); }
  /// The nearest point.
  std::size_t nearest(double level) const;
};

/// Wide enough for the levels of all classes that more than one reading speaks for, and for a step beside them.
Lattice lattice_of(const LevelData& data, const LevelSettings& settings);

/// A noise with its prior probability.
struct Noise {
  double scale = 0, prior = 0;
};
/// From what the lattice can resolve upwards, in a geometric row; the priors add up to 1.
std::vector<Noise> noises_of(const Lattice& lattice, const LevelSettings& settings);

/// Numbers of one scale: each is its value times exp(log_scale).
struct Scaled {
  std::vector<double> values;
  double log_scale = 0;
};

/// How likely the readings of a class are at each level of the lattice.
Scaled likelihood(const Readings& readings, const Lattice& lattice, double noise, const LevelSettings& settings);

}  // namespace tbci::bisect
