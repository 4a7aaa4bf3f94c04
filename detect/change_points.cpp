#include "detect/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "detect/boundary_test.hpp"
#include "detect/scan_statistic.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

// Steps that are left out when correlation is first estimated: one, and another for each such number of nights, up to
// three. In a short series they would be most of it; in a long one a few more do not matter, and noise has its largest
// steps as well.
constexpr std::size_t nights_a_step = 30, most_first_steps = 3;
constexpr int most_rounds = 10;    // of looking for more and dropping; two are the rule
constexpr double spike_reach = 3;  // deviations from the running median, beyond which a value is a spike

// How well a boundary stands, the weakest first: less than chance does, nights that only gathered, more than either.
enum class Support { chance, gathered, stands };
struct Strength {
  Support support;
  double deviations;
  auto operator<=>(const Strength&) const = default;
};

class Search {
 public:
  Search(std::span<const double> values, const ChangePointOptions& options)
      : values_(values),
        reach_(spike_reach * deviation_of_differences(values)),
        calm_(without_spikes(values, options.min_segment, reach_)),
        stretches_(calm_),
        alpha_(std::clamp(options.alpha, 1e-100, 1.0)),
        min_segment_(static_cast<std::size_t>(std::max(1, options.min_segment))) {}

  void find() {
    // Steps look like correlation, and correlation like steps: what the first levels explain is not correlation.
    segment();
    correlation_ =
        correlation_of_differences(calm_, strongest(std::min(most_first_steps, 1 + values_.size() / nights_a_step)));
    if (correlation_ > 0) segment();
    for (int round = 0; round < 3 && correlation_ > 0 && !boundaries_.empty(); ++round) {
      const double within = correlation_of_differences(calm_, boundaries_);
      if (within >= correlation_) break;
      correlation_ = within;
      segment();
    }
    // In a handful of nights one step is most of what looks like noise: the best place is always tried.
    if (boundaries_.empty()) boundaries_.push_back(stretches_.best_split(0, values_.size(), min_segment_));
    settle(stretches_, min_segment_, boundaries_);
    drop_chance();
    for (int round = 0; round < most_rounds; ++round) {
      const std::size_t before = boundaries_.size();
      part_levels();
      if (!drop_chance() && boundaries_.size() == before) break;
    }
  }

  const std::vector<std::size_t>& boundaries() const { return boundaries_; }
  // And what does not stand without it.
  void drop(std::size_t k) {
    boundaries_.erase(boundaries_.begin() + static_cast<std::ptrdiff_t>(k));
    settle(stretches_, min_segment_, boundaries_);
    drop_chance();
  }
  std::size_t first_of(std::size_t level) const { return level == 0 ? 0 : boundaries_[level - 1]; }
  std::size_t end_of(std::size_t level) const {
    return level == boundaries_.size() ? values_.size() : boundaries_[level];
  }
  double p_of(double deviations) const { return scan_tail(deviations, values_.size(), min_segment_); }
  std::vector<double> p_values() const {
    const BoundaryTest test(values_, stretches_, boundaries_, correlation_);
    std::vector<double> result;
    for (std::size_t k = 0; k < boundaries_.size(); ++k) {
      result.push_back(p_of(test.deviations(first_of(k), boundaries_[k], end_of(k + 1))));
    }
    return result;
  }

 private:
  void segment() {
    // Differences over a night have the variance 2 (1 - correlation) of one value.
    const double deviation = deviation_of_differences(calm_) / std::sqrt(1 - correlation_);
    const SeriesNoise noise{std::max(deviation, 1e-9), correlation_, 0};
    const double chances = static_cast<double>(values_.size()) / alpha_;
    const double price = std::log(chances) * noise.deviation * noise.deviation * noise.long_run();
    boundaries_ = cheapest_levels(stretches_, min_segment_, price);
  }

  // The boundaries that explain most, in order of time.
  std::vector<std::size_t> strongest(std::size_t count) const {
    std::vector<std::pair<double, std::size_t>> gains;
    for (std::size_t k = 0; k < boundaries_.size(); ++k) {
      gains.emplace_back(stretches_.gain(first_of(k), boundaries_[k], end_of(k + 1)), boundaries_[k]);
    }
    std::sort(gains.rbegin(), gains.rend());
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < std::min(count, gains.size()); ++k) places.push_back(gains[k].second);
    std::sort(places.begin(), places.end());
    return places;
  }

  // p falls with the deviations: what was computed answers for all that lies beyond.
  bool is_chance(double deviations) {
    if (deviations <= chance_) return true;
    if (deviations >= no_chance_) return false;
    const bool chance = p_of(deviations) > alpha_;
    (chance ? chance_ : no_chance_) = deviations;
    return chance;
  }

  // What the price of a boundary was too much for may pass the test, once its neighbours are known.
  void part_levels() {
    const BoundaryTest test(values_, stretches_, boundaries_, correlation_);
    std::vector<std::size_t> more;
    for (std::size_t k = 0; k <= boundaries_.size(); ++k) {
      const std::size_t first = first_of(k), end = end_of(k);
      const std::size_t best = stretches_.best_split(first, end, min_segment_);
      if (best != first && !is_chance(test.deviations(first, best, end))) more.push_back(best);
    }
    if (more.empty()) return;
    boundaries_.insert(boundaries_.end(), more.begin(), more.end());
    std::sort(boundaries_.begin(), boundaries_.end());
    settle(stretches_, min_segment_, boundaries_);
  }

  // Wild nights of the shorter of two stretches become as those of the longer one: they are spikes, and would pull the
  // mean of the level that they are part of from now on.
  void calm_shorter(std::size_t first, std::size_t middle, std::size_t end) {
    const bool right = end - middle < middle - first;
    const double level = right ? stretches_.mean(first, middle) : stretches_.mean(middle, end);
    for (std::size_t i = right ? middle : first; i < (right ? end : middle); ++i) {
      if (std::abs(calm_[i] - level) > reach_) calm_[i] = level;
    }
  }

  // Drops what may be chance, the weakest of neighbours first: without it, the others may stand. Whether any was.
  bool drop_chance() {
    bool dropped = false;
    while (!boundaries_.empty()) {
      BoundaryTest test(values_, stretches_, boundaries_, correlation_);
      std::vector<Strength> strengths;
      for (std::size_t k = 0; k < boundaries_.size(); ++k) {
        const std::size_t first = first_of(k), end = end_of(k + 1);
        const double deviations = test.deviations(first, boundaries_[k], end);
        if (is_chance(deviations)) {
          strengths.push_back({Support::chance, deviations});
        } else {
          const bool gathered = test.gathering(first, boundaries_[k], end) > alpha_;
          strengths.push_back({gathered ? Support::gathered : Support::stands, deviations});
        }
      }
      std::vector<std::size_t> kept;
      bool calmer = false;
      for (std::size_t k = 0; k < boundaries_.size(); ++k) {
        const bool weakest = (k == 0 || strengths[k] <= strengths[k - 1]) &&
                             (k + 1 == boundaries_.size() || strengths[k] < strengths[k + 1]);
        if (!weakest || strengths[k].support == Support::stands) {
          kept.push_back(boundaries_[k]);
        } else if (strengths[k].support == Support::gathered) {
          calm_shorter(first_of(k), boundaries_[k], end_of(k + 1));
          calmer = true;
        }
      }
      if (kept.size() == boundaries_.size()) break;
      boundaries_ = std::move(kept);
      if (calmer) stretches_ = Stretches(calm_);
      settle(stretches_, min_segment_, boundaries_);
      dropped = true;
    }
    return dropped;
  }

  std::span<const double> values_;
  double reach_;  // beyond which a night is wild
  std::vector<double> calm_;
  Stretches stretches_;
  double alpha_;
  std::size_t min_segment_;
  double correlation_ = 0;
  std::vector<std::size_t> boundaries_;
  double chance_ = 0, no_chance_ = std::numeric_limits<double>::infinity();  // deviations that are known to be
};

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options) {
  const auto least = static_cast<std::size_t>(std::max(1, options.min_segment));
  if (values.size() < std::max<std::size_t>(3, 2 * least)) return {};
  std::vector<double> logarithms;
  logarithms.reserve(values.size());
  for (double value : values) {
    TBCI_ASSERT(std::isfinite(value) && value > 0);
    logarithms.push_back(std::log(value) - std::log(values.front()));
  }
  Search search(logarithms, options);
  search.find();

  const auto level = [&](std::size_t k) {
    const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    return model::median({at(search.first_of(k)), at(search.end_of(k))});
  };
  std::vector<ChangePoint> found;
  while (true) {
    const auto p = search.p_values();
    found.clear();
    for (std::size_t k = 0; k < search.boundaries().size(); ++k) {
      const double before = level(k), after = level(k + 1);
      found.push_back(
          {.night = search.boundaries()[k], .before = before, .after = after, .change = after / before - 1, .p = p[k]});
    }
    const auto smallest = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::abs(a.change) < std::abs(b.change);
    });
    if (smallest == found.end() || std::abs(smallest->change) >= options.least_change) return found;
    search.drop(static_cast<std::size_t>(smallest - found.begin()));
  }
}

}  // namespace tbci::detect
