#include "bisect/step_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

constexpr double beyond_bound = 0.025;    // probability beyond each bound
constexpr std::size_t place_count = 161;  // of one sum over changes; odd: the middle is one of them
constexpr std::size_t noise_count = 17;   // of one sum over the noise
constexpr double noise_spreads = 3;       // the noises reach this many standard deviations of their prior
constexpr double first_width = 10;        // half width of the first sum, in expected standard errors
constexpr double later_width = 7;         // of the later ones, in standard deviations of the sum before
constexpr double fine_enough = 4;         // places in a standard deviation
constexpr int most_passes = 8;
constexpr double pair_noise = std::numbers::sqrt2;  // of an effect, in noises of a reading

using Row = std::vector<double>;

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

/// Equally spaced places around a middle.
struct Places {
  double middle = 0, spacing = 0;
  double at(std::size_t i) const { return middle + spacing * (static_cast<double>(i) - (place_count - 1) / 2.0); }
};

/// Numbers with a common scale: each is its value times exp(log_scale).
struct ScaledRow {
  Row values = Row(place_count, 1.0);
  double log_scale = 0;
};

/// The shares of readings that are too high and too low, and the width that they spread over.
struct Outliers {
  double above = 0, below = 0, width = 0;
};

/// Multiplies by the likelihood of a reading at each place.
void take_in(double reading, const Places& places, double noise, const Outliers& outliers, ScaledRow& row) {
  const double core = (1 - outliers.above - outliers.below) / (noise * std::sqrt(2 * std::numbers::pi));
  double most = 0;
  for (std::size_t i = 0; i < place_count; ++i) {
    const double z = (reading - places.at(i)) / noise;
    row.values[i] *= core * std::exp(-0.5 * z * z) + (z > 0 ? outliers.above : outliers.below) / outliers.width;
    most = std::max(most, row.values[i]);
  }
  for (double& value : row.values) value /= most;
  row.log_scale += std::log(most);
}

class Sum {
 public:
  Sum(const ChangeReadings& readings, const ChangeNoise& noise)
      : readings_(readings), noise_(noise), alone_(!readings.before.empty() && !readings.after.empty()) {
    const double lowest = std::max(noise.floor, noise.typical * std::exp(-noise_spreads * noise.spread));
    const double highest = std::max(1.01 * lowest, noise.typical * std::exp(noise_spreads * noise.spread));
    for (std::size_t i = 0; i < noise_count; ++i)
      scales_.push_back(lowest * std::pow(highest / lowest, static_cast<double>(i) / (noise_count - 1)));
  }

  /// Where a change lies, to begin with: the median of the pairs, or the difference of the medians.
  Places first_places() const {
    double middle = 0, error = std::numeric_limits<double>::infinity();
    if (alone_) {
      middle = median_of(readings_.after) - median_of(readings_.before);
      error = noise_.typical * std::sqrt(1 / static_cast<double>(readings_.before.size()) +
                                         1 / static_cast<double>(readings_.after.size()));
    }
    if (!readings_.effects.empty()) {
      middle = median_of(readings_.effects);
      error = std::min(error, pair_noise * noise_.typical / std::sqrt(static_cast<double>(readings_.effects.size())));
    }
    return {.middle = middle, .spacing = 2 * first_width * error / (place_count - 1)};
  }

  /// The posterior of the change at each place, up to a common factor.
  Row over(const Places& places) const {
    std::vector<ScaledRow> all;
    for (const double scale : scales_) all.push_back(given(places, scale));
    double most = -std::numeric_limits<double>::infinity();
    for (const ScaledRow& row : all) most = std::max(most, row.log_scale);
    Row sum(place_count, 0);
    for (const ScaledRow& row : all) {
      const double share = std::exp(row.log_scale - most);
      for (std::size_t i = 0; i < place_count; ++i) sum[i] += share * row.values[i];
    }
    return sum;
  }

 private:
  /// Prior and likelihood at each place, for one noise of a reading taken alone.
  ScaledRow given(const Places& places, double scale) const {
    ScaledRow row;
    const double z = std::log(scale / noise_.typical) / noise_.spread;
    row.log_scale = -0.5 * z * z;
    const Outliers outliers{noise_.outliers, noise_.outliers, noise_.outlier_width};
    for (const double effect : readings_.effects) take_in(effect, places, pair_noise * scale, outliers, row);
    if (alone_) add_alone(places, scale, row);
    return row;
  }

  /// Sums over the level of the first build, with the level of the second one a change above it.
  void add_alone(const Places& places, double scale, ScaledRow& row) const {
    const double before = median_of(readings_.before);
    const ScaledRow first = level({before, places.spacing}, readings_.before, scale);
    const ScaledRow second = level({before + places.middle, places.spacing}, readings_.after, scale);
    constexpr std::size_t half = place_count / 2;
    for (std::size_t i = 0; i < place_count; ++i) {
      double sum = std::numeric_limits<double>::min();
      const std::size_t begin = i < half ? half - i : 0, end = std::min(place_count, place_count + half - i);
      for (std::size_t k = begin; k < end; ++k) sum += first.values[k] * second.values[i + k - half];
      row.values[i] *= sum;
    }
    row.log_scale += first.log_scale + second.log_scale;
  }

  ScaledRow level(const Places& places, std::span<const double> values, double scale) const {
    ScaledRow row;
    const Outliers outliers{noise_.outliers, noise_.outliers / 10, noise_.outlier_width};
    for (const double value : values) take_in(value, places, scale, outliers, row);
    return row;
  }

  const ChangeReadings& readings_;
  const ChangeNoise& noise_;
  bool alone_;
  std::vector<double> scales_;
};

/// The place below which `share` of the sum lies. Each place stands for half a spacing to either side.
double quantile(const Row& sum, const Places& places, double share) {
  const double wanted = share * std::accumulate(sum.begin(), sum.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i < place_count; ++i) {
    if (below + sum[i] >= wanted && sum[i] > 0)
      return places.at(i) + ((wanted - below) / sum[i] - 0.5) * places.spacing;
    below += sum[i];
  }
  return places.at(place_count - 1);
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const Row& sum, const Places& places) {
  const double all = std::accumulate(sum.begin(), sum.end(), 0.0);
  Moments moments;
  for (std::size_t i = 0; i < place_count; ++i) moments.mean += sum[i] / all * places.at(i);
  for (std::size_t i = 0; i < place_count; ++i) {
    const double off = places.at(i) - moments.mean;
    moments.deviation += sum[i] / all * off * off;
  }
  moments.deviation = std::sqrt(moments.deviation);
  return moments;
}

}  // namespace

LevelEstimate estimate_change(const ChangeReadings& readings, const ChangeNoise& noise) {
  TBCI_ASSERT(!readings.effects.empty() || (!readings.before.empty() && !readings.after.empty()));
  TBCI_ASSERT(noise.typical > 0 && noise.spread > 0 && noise.floor > 0 && noise.outlier_width > 0);
  const Sum sum(readings, noise);
  Places places = sum.first_places();
  Row row = sum.over(places);
  Moments moments = moments_of(row, places);
  // Closer and closer, until the places are so fine that they do not show.
  for (int pass = 1; pass < most_passes; ++pass) {
    const double deviation = std::max(moments.deviation, places.spacing);
    const bool fine = moments.deviation >= fine_enough * places.spacing;
    places = {.middle = moments.mean, .spacing = 2 * later_width * deviation / (place_count - 1)};
    row = sum.over(places);
    moments = moments_of(row, places);
    if (fine) break;
  }
  return {.mean = moments.mean,
          .low = quantile(row, places, beyond_bound),
          .high = quantile(row, places, 1 - beyond_bound)};
}

}  // namespace tbci::bisect
