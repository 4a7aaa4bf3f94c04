#include "bisect/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/assert.hpp"
#include "bisect/level_grid.hpp"

namespace tbci::bisect {
namespace {

constexpr std::size_t states = std::size(prior_of_steps);  // steps so far
constexpr double negligible = 1e-7;

using Row = std::vector<double>;        // one number for each level
using Table = std::array<Row, states>;  // by the number of steps so far

/// Sums over distant levels. It keeps its memory from one row to the next.
class DistantLevels {
 public:
  explicit DistantLevels(std::size_t count) : below_(count + 1), above_(count + 1) {}

  /// For each level: the sum over all levels at least `least` away from it, divided by the number of levels.
  void sum(const Row& row, std::size_t least, Row& out) {
    const std::size_t count = row.size();
    for (std::size_t i = 0; i < count; ++i) below_[i + 1] = below_[i] + row[i];
    for (std::size_t i = count; i-- > 0;) above_[i] = above_[i + 1] + row[i];
    const double share = 1 / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t low = i + 1 >= least ? i + 1 - least : 0, high = std::min(count, i + least);
      out[i] = (below_[low] + above_[high]) * share;
    }
  }

 private:
  Row below_, above_;  ///< by level: the sum over all below it; over it and all above
};

/// The forward and backward recursions for one noise.
class Recursion {
 public:
  Recursion(const LevelData& data, const LevelSettings& settings, const LevelGrid& grid, double noise)
      : data_(data),
        grid_(grid),
        least_(
            std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(settings.least_step / grid.spacing - 1e-9)))) {
    for (const Readings& readings : data.classes) likelihoods_.push_back(likelihood(readings, grid, noise, settings));
    const double sum = std::accumulate(data.weights.begin() + 1, data.weights.end(), 0.0);
    for (std::size_t j = 0; j + 1 < data.classes.size(); ++j) {
      double weight = 0;
      for (std::size_t at = data.classes[j].at + 1; at <= data.classes[j + 1].at; ++at) weight += data.weights[at];
      weights_.push_back(weight / sum);
    }
    go_forward();
  }

  /// Logarithm of the likelihood of all readings.
  double log_likelihood() const { return log_likelihood_; }

  /// Adds the posterior given this noise, times `share`. `marginals`: of the levels of each class.
  void add_to(Posterior& sum, std::vector<Row>& marginals, double share) {
    go_backward();
    const std::size_t last = likelihoods_.size() - 1;
    for (std::size_t j = 0; j <= last; ++j) {
      double total = 0, no_step_before = 0, no_step_after = 0;
      for (std::size_t s = 0; s < states; ++s) {
        double state = 0;
        for (std::size_t g = 0; g < grid_.points; ++g) {
          state += forward_[j][s][g] * backward_[j][s][g];
          no_step_after += forward_[j][s][g] * ends_[s] * rest_[j][g];
        }
        total += state;
        if (s == 0) no_step_before = state;
      }
      const double factor = share / total;
      sum.like_good_end[j] += no_step_before * factor;
      sum.like_bad_end[j] += no_step_after * factor;
      for (std::size_t s = 0; s < states; ++s) {
        for (std::size_t g = 0; g < grid_.points; ++g)
          marginals[j][g] += forward_[j][s][g] * backward_[j][s][g] * factor;
      }
      if (j < last) sum.step_after[j] += with_step(j) * factor;
    }
    add_counts(sum, share);
  }

 private:
  void go_forward() {
    const std::size_t points = grid_.points;
    // `s` steps at positions drawn by their weights: s! orders.
    double orders = 1;
    for (std::size_t s = 0; s < states; orders *= static_cast<double>(++s)) ends_[s] = prior_of_steps[s] * orders;
    Table table;
    for (Row& row : table) row.assign(points, 0);
    if (data_.against_good_end) {
      table[0][grid_.nearest(0)] = 1;
    } else {
      for (std::size_t g = 0; g < points; ++g) table[0][g] = likelihoods_[0].values[g] / static_cast<double>(points);
    }
    log_likelihood_ = likelihoods_[0].log_scale;
    forward_.push_back(std::move(table));
    Row jump(points);
    DistantLevels distant(points);
    for (std::size_t j = 1; j < likelihoods_.size(); ++j) {
      Table next = forward_.back();
      double sum = 0;
      for (std::size_t s = 0; s < states; ++s) {
        if (s > 0 && s <= j) {
          distant.sum(forward_.back()[s - 1], least_, jump);
          for (std::size_t g = 0; g < points; ++g) next[s][g] += weights_[j - 1] * jump[g];
        }
        for (std::size_t g = 0; g < points; ++g) sum += next[s][g] *= likelihoods_[j].values[g];
      }
      for (Row& row : next) {
        for (double& value : row) value /= sum;
      }
      log_likelihood_ += std::log(sum) + likelihoods_[j].log_scale;
      forward_.push_back(std::move(next));
    }
    double end = 0;
    for (std::size_t s = 0; s < states; ++s) {
      for (double value : forward_.back()[s]) end += value * ends_[s];
    }
    log_likelihood_ += std::log(end);
  }

  void go_backward() {
    const std::size_t points = grid_.points, count = likelihoods_.size();
    backward_.resize(count);
    rest_.assign(count, Row(points, 1.0));
    scale_.assign(count, 1.0);
    for (std::size_t s = 0; s < states; ++s) backward_[count - 1][s].assign(points, ends_[s]);
    Row seen(points), jump(points);
    DistantLevels distant(points);
    for (std::size_t j = count - 1; j-- > 0;) {
      for (Row& row : backward_[j]) row.assign(points, 0);
      double most = 0;
      for (std::size_t s = 0; s < states; ++s) {
        for (std::size_t g = 0; g < points; ++g) seen[g] = likelihoods_[j + 1].values[g] * backward_[j + 1][s][g];
        for (std::size_t g = 0; g < points; ++g) most = std::max(most, backward_[j][s][g] += seen[g]);
        if (s == 0) continue;
        distant.sum(seen, least_, jump);
        for (std::size_t g = 0; g < points; ++g) most = std::max(most, backward_[j][s - 1][g] += weights_[j] * jump[g]);
      }
      for (Row& row : backward_[j]) {
        for (double& value : row) value /= most;
      }
      for (std::size_t g = 0; g < points; ++g) rest_[j][g] = rest_[j + 1][g] * likelihoods_[j + 1].values[g] / most;
      scale_[j] = most;
    }
  }

  /// The part of the sum over class j where a step comes before class j + 1.
  double with_step(std::size_t j) const {
    double sum = 0;
    Row seen(grid_.points), jump(grid_.points);
    DistantLevels distant(grid_.points);
    for (std::size_t s = 1; s < states; ++s) {
      for (std::size_t g = 0; g < grid_.points; ++g) seen[g] = likelihoods_[j + 1].values[g] * backward_[j + 1][s][g];
      distant.sum(seen, least_, jump);
      for (std::size_t g = 0; g < grid_.points; ++g) sum += forward_[j][s - 1][g] * jump[g];
    }
    return sum * weights_[j] / scale_[j];
  }

  void add_counts(Posterior& sum, double share) const {
    std::array<double, states> counts{};
    for (std::size_t s = 0; s < states; ++s) {
      for (double value : forward_.back()[s]) counts[s] += value * ends_[s];
    }
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    sum.none += share * counts[0] / all;
    sum.one += share * counts[1] / all;
    for (std::size_t s = 2; s < states; ++s) sum.several += share * counts[s] / all;
  }

  const LevelData& data_;
  const LevelGrid& grid_;
  std::size_t least_;  ///< fewest points between two levels that are a step apart
  std::vector<ScaledValues> likelihoods_;
  std::vector<double> weights_;  ///< of the bracket after each class
  std::array<double, states> ends_{};
  std::vector<Table> forward_, backward_;
  std::vector<Row> rest_;      ///< likelihood of all later classes at the same level
  std::vector<double> scale_;  ///< the divisor of each class's backward table
  double log_likelihood_ = 0;
};

/// The level below which `share` of the marginal lies. Each point represents the levels within half a spacing.
double quantile(const Row& marginal, const LevelGrid& grid, double share) {
  const double all = std::accumulate(marginal.begin(), marginal.end(), 0.0);
  double below = 0;
  for (std::size_t g = 0; g < marginal.size(); ++g) {
    if (below + marginal[g] >= share * all && marginal[g] > 0)
      return grid.at(g) + ((share * all - below) / marginal[g] - 0.5) * grid.spacing;
    below += marginal[g];
  }
  return grid.at(marginal.size() - 1);
}

LevelEstimate level_of(const Row& marginal, const LevelGrid& grid, double tail) {
  double mean = 0, all = 0;
  for (std::size_t g = 0; g < marginal.size(); ++g) {
    mean += marginal[g] * grid.at(g);
    all += marginal[g];
  }
  return {.mean = mean / all, .low = quantile(marginal, grid, tail), .high = quantile(marginal, grid, 1 - tail)};
}

}  // namespace

Posterior posterior_of(const LevelData& data, const LevelSettings& settings) {
  const std::size_t count = data.classes.size();
  TBCI_ASSERT(count >= 2 && data.classes.back().at < data.weights.size());
  TBCI_ASSERT(settings.least_step > 0 && settings.typical_noise > 0 && settings.noise_floor > 0);
  TBCI_ASSERT(settings.outlier_width > 0);
  const LevelGrid grid = level_grid_of(data, settings);
  const std::vector<Noise> noises = noises_of(grid, settings);
  std::vector<Recursion> recursions;
  std::vector<double> shares;
  for (const Noise& noise : noises) {
    recursions.emplace_back(data, settings, grid, noise.scale);
    shares.push_back(std::log(std::max(noise.prior, std::numeric_limits<double>::min())) +
                     recursions.back().log_likelihood());
  }
  const double most = std::ranges::max(shares);
  double sum = 0;
  for (double& share : shares) sum += share = std::exp(share - most) < negligible ? 0 : std::exp(share - most);

  Posterior posterior;
  posterior.none = 0;
  posterior.step_after.assign(count - 1, 0);
  posterior.like_good_end.assign(count, 0);
  posterior.like_bad_end.assign(count, 0);
  std::vector<Row> marginals(count, Row(grid.points, 0));
  for (std::size_t i = 0; i < noises.size(); ++i) {
    if (shares[i] == 0) continue;
    recursions[i].add_to(posterior, marginals, shares[i] / sum);
    posterior.noise += noises[i].scale * shares[i] / sum;
  }
  for (const Row& marginal : marginals) posterior.levels.push_back(level_of(marginal, grid, settings.bound_tail));
  return posterior;
}

}  // namespace tbci::bisect
