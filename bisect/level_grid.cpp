#include "bisect/level_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

constexpr double usual_points = 160, most_points = 640;
/// So that a step next to a much larger one is still resolved.
constexpr double points_per_step = 8;
constexpr double noise_ratio = 1.5;
constexpr double largest_noise = 16;  // times the typical noise

/// Of two middle values the smaller one, so that one slow process does not count as a level.
double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A bell that is lower than this adds nothing to the density of the outliers.
constexpr double negligible_bell = 1e-40;

/// Sets `bell` to exp(-(x - level)^2 / (2 noise^2)) for each level, outwards from the nearest one, and to 0 where that
/// is negligible. Each value is the previous one times a factor that shrinks by a constant, which saves an exponential
/// for each point.
void put_bell(double x, const LevelGrid& grid, double noise, std::vector<double>& bell) {
  const std::size_t middle = grid.nearest(x);
  const double h = grid.spacing / noise;
  const double z = (grid.at(middle) - x) / noise;
  const double shrink = std::exp(-h * h);
  std::ranges::fill(bell, 0.0);
  bell[middle] = std::exp(-0.5 * z * z);
  double value = bell[middle], factor = std::exp(-h * z - 0.5 * h * h);
  for (std::size_t i = middle + 1; i < grid.points && value > negligible_bell; ++i, factor *= shrink)
    bell[i] = value *= factor;
  value = bell[middle];
  factor = std::exp(h * z - 0.5 * h * h);
  for (std::size_t i = middle; i-- > 0 && value > negligible_bell; factor *= shrink) bell[i] = value *= factor;
}

/// Multiplies the values from `begin` to `end` by the density of a reading there. Returns the largest of them.
double multiply_by_density(std::vector<double>& values, const std::vector<double>& bell, double core, double outliers,
                           std::size_t begin, std::size_t end) {
  double most = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = values[i] * (core * bell[i] + outliers);
    values[i] = value;
    most = value > most ? value : most;
  }
  return most;
}

}  // namespace

std::size_t LevelGrid::nearest(double level) const {
  const double place = std::round((level - low) / spacing);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(points - 1)));
}

std::size_t LevelGrid::points_below(double level) const {
  std::size_t below = nearest(level);
  while (below > 0 && at(below - 1) >= level) --below;
  while (below < points && at(below) < level) ++below;
  return below;
}

LevelGrid level_grid_of(const LevelData& data, const LevelSettings& settings) {
  std::vector<double> levels;
  if (data.against_good_end) levels.push_back(0);
  for (const Readings& readings : data.classes) {
    const bool is_end = &readings == &data.classes.front() || &readings == &data.classes.back();
    if (readings.values.size() >= (is_end ? 1U : 2U)) levels.push_back(lower_median(readings.values));
  }
  if (levels.empty()) levels.push_back(0);
  const auto [least, most] = std::ranges::minmax(levels);
  const double pad = 0.5 * (most - least) + 2 * settings.least_step;
  LevelGrid grid;
  grid.low = least - pad;
  const double width = most + pad - grid.low;
  grid.spacing = std::max({settings.noise_floor / 2, width / most_points,
                           std::min(width / usual_points, settings.least_step / points_per_step)});
  grid.points = static_cast<std::size_t>(width / grid.spacing) + 1;
  if (data.against_good_end) {  // the good end has the level 0: make 0 a point
    const double above = std::ceil(-grid.low / grid.spacing);
    grid.low = -above * grid.spacing;
    ++grid.points;
  }
  return grid;
}

std::vector<Noise> noises_of(const LevelGrid& grid, const LevelSettings& settings) {
  std::vector<Noise> noises;
  const double least = std::max(settings.noise_floor, 2 * grid.spacing);
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

ScaledValues likelihood(const Readings& readings, const LevelGrid& grid, double noise, const LevelSettings& settings) {
  TBCI_ASSERT(noise > 0 && grid.points > 0);
  ScaledValues all{std::vector<double>(grid.points, 1.0), 0};
  std::vector<double> bell(grid.points);
  const double core =
      (1 - settings.outliers_above - settings.outliers_below) / (noise * std::sqrt(2 * std::numbers::pi));
  // At least as wide as the grid: a step a thousand times larger than the threshold is not an outlier.
  const double width = std::max(settings.outlier_width, static_cast<double>(grid.points) * grid.spacing);
  const double above = settings.outliers_above / width, below = settings.outliers_below / width;
  for (double x : readings.values) {
    put_bell(x, grid, noise, bell);
    const std::size_t split = grid.points_below(x);
    const double most = std::max(multiply_by_density(all.values, bell, core, above, 0, split),
                                 multiply_by_density(all.values, bell, core, below, split, grid.points));
    for (double& value : all.values) value *= 1 / most;
    all.log_scale += std::log(most);
  }
  if (readings.power != 1) {
    for (double& value : all.values) value = std::pow(value, readings.power);
    all.log_scale *= readings.power;
  }
  return all;
}

}  // namespace tbci::bisect
