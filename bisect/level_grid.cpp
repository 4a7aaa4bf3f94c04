#include "bisect/level_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

constexpr double usual_points = 160, most_points = 640;
/// So that steps beside a much larger one are seen.
constexpr double points_a_step = 8;
constexpr double noise_ratio = 1.5;
constexpr double largest_noise = 16;  // times the typical one

/// Of two the smaller one: a slow process is no level.
double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Adds exp(-(x - level)^2 / (2 noise^2)) for each level, outwards from the nearest one: each is the one before times a
/// factor, and the factor shrinks by a constant. No exponential for each point.
void put_bell(double x, const Lattice& lattice, double noise, std::vector<double>& bell) {
  const std::size_t middle = lattice.nearest(x);
  const double h = lattice.spacing / noise;
  const double z = (lattice.at(middle) - x) / noise;
  const double shrink = std::exp(-h * h);
  bell[middle] = std::exp(-0.5 * z * z);
  double value = bell[middle], factor = std::exp(-h * z - 0.5 * h * h);
  for (std::size_t i = middle + 1; i < lattice.points; ++i, factor *= shrink) bell[i] = value *= factor;
  value = bell[middle];
  factor = std::exp(h * z - 0.5 * h * h);
  for (std::size_t i = middle; i-- > 0; factor *= shrink) bell[i] = value *= factor;
}

}  // namespace

std::size_t Lattice::nearest(double level) const {
  const double place = std::round((level - low) / spacing);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(points - 1)));
}

Lattice lattice_of(const LevelData& data, const LevelSettings& settings) {
  std::vector<double> levels;
  if (data.against_good_end) levels.push_back(0);
  for (const Readings& readings : data.classes) {
    const bool is_end = &readings == &data.classes.front() || &readings == &data.classes.back();
    if (readings.values.size() >= (is_end ? 1U : 2U)) levels.push_back(lower_median(readings.values));
  }
  if (levels.empty()) levels.push_back(0);
  const auto [least, most] = std::minmax_element(levels.begin(), levels.end());
  const double pad = 0.5 * (*most - *least) + 2 * settings.least_step;
  Lattice lattice;
  lattice.low = *least - pad;
  const double width = *most + pad - lattice.low;
  lattice.spacing = std::max({settings.noise_floor / 2, width / most_points,
                              std::min(width / usual_points, settings.least_step / points_a_step)});
  lattice.points = static_cast<std::size_t>(width / lattice.spacing) + 1;
  if (data.against_good_end) {  // 0 is a point: the level of the good end is known
    const double above = std::ceil(-lattice.low / lattice.spacing);
    lattice.low = -above * lattice.spacing;
    ++lattice.points;
  }
  return lattice;
}

std::vector<Noise> noises_of(const Lattice& lattice, const LevelSettings& settings) {
  std::vector<Noise> noises;
  const double least = std::max(settings.noise_floor, 2 * lattice.spacing);
  double sum = 0;
  for (double scale = least; noises.empty() || scale < largest_noise * settings.typical_noise; scale *= noise_ratio) {
    const double z = std::log(scale / settings.typical_noise) / settings.noise_spread;
    noises.push_back({scale, std::exp(-0.5 * z * z)});
    sum += noises.back().prior;
  }
  if (sum <= 0) return {{least, 1}};
  for (Noise& noise : noises) noise.prior /= sum;
  return noises;
}

Scaled likelihood(const Readings& readings, const Lattice& lattice, double noise, const LevelSettings& settings) {
  TBCI_ASSERT(noise > 0 && lattice.points > 0);
  Scaled all{std::vector<double>(lattice.points, 1.0), 0};
  std::vector<double> bell(lattice.points);
  const double core = (1 - settings.wild_above - settings.wild_below) / (noise * std::sqrt(2 * std::numbers::pi));
  // At least as wide as the levels lie apart: a step of a thousand times what is worth an issue is not a wild reading.
  const double width = std::max(settings.wild_width, static_cast<double>(lattice.points) * lattice.spacing);
  const double above = settings.wild_above / width, below = settings.wild_below / width;
  for (double x : readings.values) {
    put_bell(x, lattice, noise, bell);
    double most = 0;
    for (std::size_t i = 0; i < lattice.points; ++i) {
      all.values[i] *= core * bell[i] + (lattice.at(i) < x ? above : below);
      most = std::max(most, all.values[i]);
    }
    for (double& value : all.values) value /= most;
    all.log_scale += std::log(most);
  }
  if (readings.power != 1) {
    for (double& value : all.values) value = std::pow(value, readings.power);
    all.log_scale *= readings.power;
  }
  return all;
}

}  // namespace tbci::bisect
