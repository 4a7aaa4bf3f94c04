#include "bisect/series_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "base/assert.hpp"
#include "bisect/exact_levels.hpp"
#include "bisect/lost_stretch.hpp"
#include "bisect/prior.hpp"

namespace tbci::bisect {
namespace {

/// A step is at least this share of the step between the ends (three equal culprits pass), unless it is worth an issue
/// of its own and can be resolved next to a much larger one.
constexpr double least_share_of_step = 0.3;
constexpr double least_share_near_large = 1.0 / 30;
/// The expected noise, as a share of the smallest effect worth an issue: 2% where that is 7%.
constexpr double typical_noise_share = 0.3;
/// Outliers spread over this multiple of the smallest effect worth an issue.
constexpr double outlier_width_share = 30;
/// Standard deviation of the logarithm of the noise, before the first reading and after about a dozen.
constexpr double unknown_noise_spread = 0.7;
constexpr double known_noise_spread = 0.25;
constexpr std::size_t first_readings = 2;
/// Where a number does not vary, a change from this share of the smallest step on is a step. Less than 1, as the
/// posterior too takes a clear change of a little less for a step, and more than 0.5, as each one costs its builds.
constexpr double exact_share = 0.7;
/// A step lies where the posterior says so with this probability.
constexpr double likely_step = 0.5;
/// For estimates: how many readings the posterior's noise is worth, beside those of the levels; farther from the median
/// of its level than this many noises a reading says nothing of the noise; how well the noise is known at best, at
/// worst.
constexpr double prior_readings = 2;
constexpr double wild_reading = 4;
constexpr double least_noise_spread = 0.1, most_noise_spread = 0.4;
/// A prior that points at the wrong commit may cost this many more builds.
constexpr int builds_for_prior = 2;

/// Squared distances from the mean of a level, and how many of them are free.
struct Scatter {
  double squares = 0, degrees = 0;
};

/// Of the values that lie at most `most` from the median.
Scatter scatter_of(std::vector<double> values, double most) {
  if (values.size() < 2) return {};
  std::ranges::sort(values);
  const double middle = values[(values.size() - 1) / 2];
  std::erase_if(values, [&](double value) { return std::abs(value - middle) > most; });
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  Scatter scatter{.squares = 0, .degrees = count - 1};
  for (const double value : values) scatter.squares += (value - mean) * (value - mean);
  return scatter;
}

}  // namespace

SeriesSearch::SeriesSearch(const CommitClasses& classes, const model::Series& series, const SearchSettings& settings)
    : classes_(classes),
      series_(series),
      settings_(settings),
      weights_(classes.count(), 1.0),
      states_(classes.count(), ClassState::untried),
      required_readings_(classes.count(), 0) {
  if (const auto prior = settings.priors.find(series); prior != settings.priors.end()) {
    TBCI_ASSERT(prior->second.size() == classes.commits().size());
    for (std::size_t at = 0; at < classes.count(); ++at) weights_[at] = prior->second[classes.index_of(at)];
  }
}

double SeriesSearch::reading(double value) const {
  return detect::is_leak(series_.metric) ? value : std::log(value);
}

CommitPair SeriesSearch::pair_with_good_end(std::size_t at) const {
  return {.reference = classes_.index_of(0),
          .probe = classes_.index_of(classes_.binary_of(at)),
          .measured = series_.measured_case()};
}

std::vector<double> SeriesSearch::readings_of(std::size_t at, const Measurements& measurements) const {
  if (data_.against_good_end) {
    if (classes_.binary_of(at) == 0) return {};
    return measurements.pairs(pair_with_good_end(at), series_).effects;
  }
  std::vector<double> values;
  if (classes_.binary_of(at) == 0) {
    for (const auto& session : sessions(measurements)) values.insert(values.end(), session.begin(), session.end());
  } else {
    for (const detect::Pair& pair : measurements.pairs(pair_with_good_end(at), series_).pairs)
      values.push_back(reading(pair.after));
  }
  for (double value : measurements.processes(classes_.index_of(classes_.binary_of(at)), series_).values)
    values.push_back(reading(value));
  return values;
}

std::vector<std::vector<double>> SeriesSearch::sessions(const Measurements& measurements) const {
  std::vector<std::vector<double>> all;
  const auto add = [&](std::size_t at) {
    std::vector<double> before;
    for (const detect::Pair& pair : measurements.pairs(pair_with_good_end(at), series_).pairs)
      before.push_back(reading(pair.before));
    if (!before.empty()) all.push_back(std::move(before));
  };
  add(classes_.last());
  for (std::size_t at = 1; at < classes_.last(); ++at) {
    const bool counted = classes_.binary_of(classes_.last()) == at;  // the bad end is a commit that came again
    if (classes_.binary_of(at) == at && !counted) add(at);
  }
  return all;
}

std::vector<BuildReading> SeriesSearch::sequence(const Measurements& measurements) const {
  std::vector<BuildReading> readings;
  for (const CommitReading& one : measurements.sequence(series_)) readings.push_back({one.commit, reading(one.value)});
  return readings;
}

std::vector<detect::Pair> SeriesSearch::pairs_of_ends(const Measurements& measurements) const {
  std::vector<detect::Pair> pairs = measurements.pairs(pair_with_good_end(classes_.last()), series_).pairs;
  for (detect::Pair& pair : pairs) pair = {reading(pair.before), reading(pair.after)};
  return pairs;
}

bool SeriesSearch::never_varies(const Measurements& measurements) const {
  const auto by_commit = measurements.values_by_commit(series_);
  const double floor = detect::effect_scale_floor(series_.metric, settings_.thresholds.for_series(series_));
  bool is_fine = false;
  for (const std::size_t end : {std::size_t{0}, classes_.last()}) {
    const auto found = by_commit.find(classes_.index_of(classes_.binary_of(end)));
    if (found == by_commit.end() || found->second.size() < first_readings) return false;
    is_fine = is_fine || shows_noise(series_.metric, found->second.front(), floor);
  }
  return is_fine && std::ranges::all_of(by_commit, [](const auto& of_commit) {
           return std::ranges::all_of(of_commit.second,
                                      [&](double value) { return value == of_commit.second.front(); });
         });
}

void SeriesSearch::refresh(const Measurements& measurements, bool interleaved) {
  exact_ = never_varies(measurements);
  data_.against_good_end = interleaved && !exact_;
  data_.weights = weights_;
  data_.classes.clear();
  std::map<std::size_t, double> sharing;
  for (std::size_t at = 0; at < classes_.count(); ++at) {
    const bool is_end = at == 0 || at == classes_.last();
    // Its level is known without a reading.
    const bool is_good = data_.against_good_end && classes_.binary_of(at) == 0;
    if (states_[at] == ClassState::lost && !is_end) continue;
    Readings readings{.at = at, .values = readings_of(at, measurements)};
    if (readings.values.empty() && !is_end && !is_good) {
      if (states_[at] != ClassState::skipped) states_[at] = ClassState::untried;
      continue;
    }
    states_[at] = ClassState::measured;
    if (is_good && at != 0) readings.values = {0};
    ++sharing[classes_.binary_of(at)];
    data_.classes.push_back(std::move(readings));
  }
  for (Readings& readings : data_.classes) readings.power = 1 / sharing[classes_.binary_of(readings.at)];
  const LevelSettings levels = level_settings();
  posterior_ = exact_ ? exact_posterior(data_, step_ == 0 ? levels.least_step : exact_share * levels.least_step,
                                        levels.noise_floor)
                      : posterior_of(data_, levels);
  fix_step();
}

std::optional<std::size_t> SeriesSearch::read_once() const {
  std::size_t begin = 0, readings = 0;  // of the level so far
  for (std::size_t j = 0; j < data_.classes.size(); ++j) {
    readings += data_.classes[j].values.size();
    const bool ends_here = j + 1 == data_.classes.size() || posterior_.step_after[j] > 0;
    if (!ends_here) continue;
    const std::size_t at = data_.classes[begin].at;
    if (readings < first_readings && std::ranges::find(closed_, at) == closed_.end()) return at;
    begin = j + 1;
    readings = 0;
  }
  return std::nullopt;
}

void SeriesSearch::fix_step() {
  if (step_ != 0 || posterior_.none >= settings_.certainty.ends) return;
  if (data_.classes.back().values.size() < first_readings) return;
  step_ = posterior_.levels.back().mean - posterior_.levels.front().mean;
}

LevelSettings SeriesSearch::level_settings() const {
  const detect::Thresholds thresholds = settings_.thresholds.for_series(series_);
  const double least = detect::least_effect(series_.metric, thresholds);
  LevelSettings levels;
  levels.least_step = step_ == 0 ? thresholds.step_share * least
                                 : std::min(least_share_of_step * std::abs(step_),
                                            std::max(least, least_share_near_large * std::abs(step_)));
  levels.noise_spread = unknown_noise_spread;
  levels.typical_noise = typical_noise_share * least;
  if (data_.against_good_end) levels.typical_noise *= std::numbers::sqrt2;
  levels.noise_floor = detect::effect_scale_floor(series_.metric, thresholds);
  levels.outlier_width = outlier_width_share * least;
  if (data_.against_good_end) levels.outliers_below = levels.outliers_above;  // the slow process may be the good end's
  levels.bound_tail = thresholds.clear_alpha;
  return levels;
}

LevelSettings SeriesSearch::check_settings() const {
  LevelSettings levels = level_settings();
  levels.typical_noise = posterior_.noise * (data_.against_good_end ? 1 : std::numbers::sqrt2);
  levels.noise_spread = known_noise_spread;
  levels.outliers_below = levels.outliers_above;
  return levels;
}

/// The readings of each level between two steps; those that several classes share, once.
std::vector<std::vector<double>> SeriesSearch::levels_of_readings() const {
  std::vector<std::vector<double>> levels(1);
  std::set<std::size_t> seen;
  for (std::size_t j = 0; j < data_.classes.size(); ++j) {
    const Readings& readings = data_.classes[j];
    if (seen.insert(classes_.binary_of(readings.at)).second)
      levels.back().insert(levels.back().end(), readings.values.begin(), readings.values.end());
    if (j < posterior_.step_after.size() && posterior_.step_after[j] >= likely_step) levels.emplace_back();
  }
  return levels;
}

ChangeNoise SeriesSearch::change_noise() const {
  const LevelSettings settings = level_settings();
  // The posterior's own noise leans towards the one that was expected before anything was read.
  double squares = prior_readings * posterior_.noise * posterior_.noise, count = prior_readings;
  for (const std::vector<double>& level : levels_of_readings()) {
    const Scatter scatter = scatter_of(level, wild_reading * posterior_.noise);
    squares += scatter.squares;
    count += scatter.degrees;
  }
  const double noise = std::max(settings.noise_floor, std::sqrt(squares / count));
  return {.typical = noise / (data_.against_good_end ? std::numbers::sqrt2 : 1),
          .spread = std::clamp(1 / std::sqrt(2 * count), least_noise_spread, most_noise_spread),
          .floor = settings.noise_floor,
          .outliers = settings.outliers_above,
          .outlier_width = settings.outlier_width};
}

NextAction SeriesSearch::next_action() const {
  if (data_.classes.back().values.size() < first_readings)
    return {.kind = NextAction::Kind::measure, .at = classes_.last(), .brackets = {}};
  const SeriesState state{.data = &data_,
                          .posterior = &posterior_,
                          .states = states_,
                          .required_readings = required_readings_,
                          .closed = closed_};
  return bisect::next_action(state, settings_.certainty);
}

void SeriesSearch::mark_lost(std::size_t at) {
  for (std::size_t other = 1; other < classes_.last(); ++other) {
    if (classes_.binary_of(other) != classes_.binary_of(at)) continue;
    states_[other] = ClassState::lost;
    skip_between_lost(states_, other);
  }
}

void SeriesSearch::expect_steps(const std::vector<Bracket>& found) {
  for (const Bracket& bracket : found) {
    const auto classes = static_cast<double>(bracket.bad - bracket.good);
    for (std::size_t at = bracket.good + 1; at <= bracket.bad; ++at) {
      if (std::ranges::find(expected_, at) != expected_.end()) continue;  // a third series says no more than a second
      expected_.push_back(at);
      weights_[at] *= std::max(1.0, most_prior_ratio / classes);
    }
  }
}

double SeriesSearch::clearness() const {
  return exact_ ? std::numeric_limits<double>::infinity() : std::abs(step_) / posterior_.noise;
}

void SeriesSearch::require_readings(std::size_t at, std::size_t count) {
  required_readings_[at] = count;
}

bool SeriesSearch::has_readings(std::size_t at) const {
  return std::ranges::any_of(data_.classes, [at](const Readings& one) { return one.at == at; });
}

std::size_t SeriesSearch::index_of_class(std::size_t at) const {
  const auto found = std::ranges::find(data_.classes, at, &Readings::at);
  TBCI_ASSERT(found != data_.classes.end());
  return static_cast<std::size_t>(found - data_.classes.begin());
}

OpenStep SeriesSearch::open_step(const Bracket& bracket) const {
  const int used = static_cast<int>(data_.classes.size()) - 2;
  const int most = most_builds_of(classes_.count()) + builds_for_prior;
  return {.good = bracket.good,
          .bad = bracket.bad,
          .states = states_,
          .weights = weights_,
          .builds_left = std::max(1, most - used)};
}

}  // namespace tbci::bisect
