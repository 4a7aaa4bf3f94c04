#include "bisect/series_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

/// A step must be at least this share of what the ends show (three equal culprits pass), unless it is worth an issue by
/// itself and can be told from a much larger one.
constexpr double least_share_of_step = 0.3;
constexpr double least_share_beside_large = 1.0 / 30;
/// The noise that is expected, as a share of the least effect worth an issue: 2% where that is 7%.
constexpr double typical_noise_share = 0.3;
/// Wild readings are spread over so many times the least effect worth an issue.
constexpr double wild_width_share = 30;
/// Of the logarithm of the noise, before anything was measured, and once a dozen processes were.
constexpr double unknown_noise_spread = 0.7;
constexpr double known_noise_spread = 0.25;
constexpr std::size_t first_readings = 2;
/// A prior that points at the wrong commit may cost so many builds more.
constexpr int builds_for_prior = 2;

}  // namespace

Regression::Regression(const Day& day, const model::Series& series, const Settings& settings)
    : day_(day),
      series_(series),
      settings_(settings),
      weights_(day.classes(), 1.0),
      states_(day.classes(), ClassState::untried),
      at_least_(day.classes(), 0) {
  if (const auto prior = settings.priors.find(series); prior != settings.priors.end()) {
    TBCI_ASSERT(prior->second.size() == day.commits().size());
    for (std::size_t at = 0; at < day.classes(); ++at) weights_[at] = prior->second[day.index_of(at)];
  }
}

double Regression::reading(double value) const {
  return detect::is_leak(series_.metric) ? value : std::log(value);
}

Comparison Regression::beside_good_end(std::size_t at) const {
  return {day_.index_of(0), day_.index_of(day_.binary_of(at)), series_.measured_case()};
}

std::vector<double> Regression::readings_of(std::size_t at, const Evidence& evidence) const {
  if (data_.against_good_end) {
    if (day_.binary_of(at) == 0) return {};
    return evidence.pairs(beside_good_end(at), series_).effects;
  }
  std::vector<double> values;
  if (day_.binary_of(at) == 0) {
    for (const auto& sitting : sittings(evidence)) values.insert(values.end(), sitting.begin(), sitting.end());
  } else {
    for (const detect::Pair& pair : evidence.pairs(beside_good_end(at), series_).pairs)
      values.push_back(reading(pair.after));
  }
  for (double value : evidence.runs(day_.index_of(day_.binary_of(at)), series_).values)
    values.push_back(reading(value));
  return values;
}

std::vector<std::vector<double>> Regression::sittings(const Evidence& evidence) const {
  std::vector<std::vector<double>> all;
  const auto add = [&](std::size_t at) {
    std::vector<double> before;
    for (const detect::Pair& pair : evidence.pairs(beside_good_end(at), series_).pairs)
      before.push_back(reading(pair.before));
    if (!before.empty()) all.push_back(std::move(before));
  };
  add(day_.last());
  for (std::size_t at = 1; at < day_.last(); ++at) {
    if (day_.binary_of(at) == at) add(at);
  }
  return all;
}

std::vector<detect::Pair> Regression::pairs_of_ends(const Evidence& evidence) const {
  std::vector<detect::Pair> pairs = evidence.pairs(beside_good_end(day_.last()), series_).pairs;
  for (detect::Pair& pair : pairs) pair = {reading(pair.before), reading(pair.after)};
  return pairs;
}

void Regression::refresh(const Evidence& evidence, bool interleaved) {
  data_.against_good_end = interleaved;
  data_.weights = weights_;
  data_.classes.clear();
  std::map<std::size_t, double> sharing;
  for (std::size_t at = 0; at < day_.classes(); ++at) {
    const bool is_end = at == 0 || at == day_.last();
    const bool is_good = interleaved && day_.binary_of(at) == 0;  // the level is known without a reading
    if (states_[at] == ClassState::lost && !is_end) continue;
    Readings readings{at, readings_of(at, evidence), 1};
    states_[at] = readings.values.empty() && !is_end && !is_good ? ClassState::untried : ClassState::measured;
    if (states_[at] == ClassState::untried) continue;
    if (is_good && at != 0) readings.values = {0};
    ++sharing[day_.binary_of(at)];
    data_.classes.push_back(std::move(readings));
  }
  for (Readings& readings : data_.classes) readings.power = 1 / sharing[day_.binary_of(readings.at)];
  posterior_ = posterior_of(data_, level_settings());
  fix_step();
}

void Regression::fix_step() {
  if (step_ != 0 || posterior_.none >= settings_.certainty.ends) return;
  if (data_.classes.back().values.size() < first_readings) return;
  step_ = posterior_.levels.back().mean - posterior_.levels.front().mean;
}

LevelSettings Regression::level_settings() const {
  const detect::Thresholds thresholds = settings_.thresholds.for_series(series_);
  const double least = detect::least_effect(series_.metric, thresholds);
  LevelSettings levels;
  levels.least_step = step_ == 0 ? thresholds.step_share * least
                                 : std::min(least_share_of_step * std::abs(step_),
                                            std::max(least, least_share_beside_large * std::abs(step_)));
  levels.noise_spread = unknown_noise_spread;
  levels.typical_noise = typical_noise_share * least;
  if (data_.against_good_end) levels.typical_noise *= std::numbers::sqrt2;
  levels.noise_floor = detect::effect_scale_floor(series_.metric, thresholds);
  levels.wild_width = wild_width_share * least;
  if (data_.against_good_end) levels.wild_below = levels.wild_above;  // the good end's process may be the slow one
  levels.bound_tail = thresholds.clear_alpha;
  return levels;
}

LevelSettings Regression::check_settings() const {
  LevelSettings levels = level_settings();
  levels.typical_noise = posterior_.noise * (data_.against_good_end ? 1 : std::numbers::sqrt2);
  levels.noise_spread = known_noise_spread;
  levels.wild_below = levels.wild_above;
  return levels;
}

Need Regression::need() const {
  if (data_.classes.back().values.size() < first_readings) return {Need::Kind::read, day_.last(), {}};
  return next_need({data_, posterior_, states_, at_least_}, settings_.certainty);
}

void Regression::lose(std::size_t at) {
  for (std::size_t other = 1; other < day_.last(); ++other) {
    if (day_.binary_of(other) == day_.binary_of(at)) states_[other] = ClassState::lost;
  }
}

void Regression::want_readings(std::size_t at, std::size_t count) {
  at_least_[at] = count;
}

bool Regression::has_readings(std::size_t at) const {
  return std::any_of(data_.classes.begin(), data_.classes.end(), [&](const auto& one) { return one.at == at; });
}

std::size_t Regression::index_of_class(std::size_t at) const {
  const auto found =
      std::find_if(data_.classes.begin(), data_.classes.end(), [&](const auto& one) { return one.at == at; });
  TBCI_ASSERT(found != data_.classes.end());
  return static_cast<std::size_t>(found - data_.classes.begin());
}

Question Regression::question(const Gap& gap) const {
  const int used = static_cast<int>(data_.classes.size()) - 2;
  const int most = most_builds_of(day_.classes()) + builds_for_prior;
  return {gap.good, gap.bad, states_, weights_, std::max(1, most - used)};
}

}  // namespace tbci::bisect
