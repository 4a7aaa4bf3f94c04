#include "detect/creep.hpp"

#include <algorithm>
#include <cmath>

#include "detect/robust_statistics.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

std::optional<double> median_effect(model::Metric metric, std::span<const Pair> pairs) {
  std::vector<double> effects;
  effects.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    if (const auto value = effect(metric, pair)) effects.push_back(*value);
  }
  if (effects.empty()) return std::nullopt;
  return model::median(std::move(effects));
}

/// When it is time to ask, and to ask again.
class Patience {
 public:
  Patience(double least, const AnchorSettings& settings)
      : settings_(settings), least_(least), wait_(std::max(settings.first_wait, 1)) {}

  void confirmed(const AnchorConfirmation& confirmation, int night) {
    inconclusive_ = confirmation.verdict == model::Verdict::inconclusive ? inconclusive_ + 1 : 0;
    settled_ = inconclusive_ == 0 || inconclusive_ >= settings_.most_inconclusive;
    filed_ = confirmation.verdict == model::Verdict::regression;
    if (!settled_) return;
    found_ = confirmation.effect;
    again_ = night + wait_;
    wait_ = std::min(2 * wait_, most_wait);
  }
  bool asks(double average, int night) {
    if (filed_ && average < found_ / 2) filed_ = settled_ = false;  // what was filed has gone
    if (average <= settings_.ask_share * least_) return false;
    if (filed_) return average > found_ + settings_.ask_share * least_;
    return !settled_ || night >= again_ || average > found_ + settings_.rise_share * least_;
  }

 private:
  static constexpr int most_wait = 1 << 20;
  const AnchorSettings& settings_;
  double least_;
  double found_ = 0;      // by the last confirmation that settled it
  bool settled_ = false;  // for the time being
  bool filed_ = false;    // it found a regression
  int again_ = 0, wait_;  // nights
  int inconclusive_ = 0;
};

}  // namespace

AnchorReading read_anchor(const model::Series& series, std::span<const AnchorNight> nights, int set_on,
                          const Thresholds& thresholds, const AnchorSettings& settings) {
  AnchorReading reading;
  if (model::is_secondary(series.metric)) return reading;
  const double least = least_effect(series.metric, thresholds);
  Patience patience(least, settings);
  int last = set_on;
  for (const AnchorNight& one : nights) {
    if (const auto tonight = median_effect(series.metric, one.pairs)) {
      const int passed = std::max(one.night - last, 1);
      const double weight = 1 - std::pow(1 - settings.lambda, passed);
      reading.average += weight * (*tonight - reading.average);
      ++reading.nights;
      last = one.night;
    }
    reading.asks = reading.nights > 0 && patience.asks(reading.average, one.night);
    if (one.confirmation) {
      patience.confirmed(*one.confirmation, one.night);
      reading.average = one.confirmation->effect;
      reading.asks = false;
    }
    reading.watched = reading.average > settings.watch_share * least;
  }
  return reading;
}

bool was_gone(const model::Series& series, double regressed, std::span<const AnchorNight> before,
              std::span<const AnchorNight> since, const Thresholds& thresholds, const AnchorSettings& settings) {
  std::vector<double> earlier;
  for (const AnchorNight& one : before) {
    if (const auto level = median_effect(series.metric, one.pairs)) earlier.push_back(*level);
  }
  const double level_before = earlier.empty() ? 0 : model::median(std::move(earlier));
  const double half = level_before + regressed / 2;
  std::vector<double> effects;  // of the nights in a row
  int nights = 0;
  for (const AnchorNight& one : since) {
    const auto level = median_effect(series.metric, one.pairs);
    if (!level) continue;
    if (*level >= half || nights >= settings.most_gone_nights) {
      effects.clear();
      nights = 0;
    }
    if (*level >= half) continue;
    for (const Pair& pair : one.pairs) {
      if (const auto value = effect(series.metric, pair)) effects.push_back(*value);
    }
    if (++nights < settings.gone_nights) continue;
    const Estimate estimate =
        trimmed_mean(effects, trimmed_share_of_pairs, effect_scale_floor(series.metric, thresholds));
    if (upper_bound(estimate, thresholds.regression_alpha) < level_before + settings.gone_share * regressed)
      return true;
  }
  return false;
}

std::vector<std::size_t> anchor_rotation(std::size_t cases, std::size_t night, std::size_t budget) {
  const std::size_t count = std::min(cases, budget);
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  // Modulo first: the product of the two must not overflow.
  const std::size_t first = cases == 0 ? 0 : (night % cases) * (count % cases) % cases;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back((first + i) % cases);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace tbci::detect
