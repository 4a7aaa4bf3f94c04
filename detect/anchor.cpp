#include "detect/anchor.hpp"

#include <algorithm>
#include <cmath>

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

/// What earlier confirmations ask of the average before the next one.
class Patience {
 public:
  Patience(double least, const AnchorSettings& settings)
      : settings_(settings), rise_(settings.rise_share * least), level_(settings.ask_share * least) {}

  void confirmed(const AnchorConfirmation& confirmation) {
    inconclusive_ = confirmation.verdict == model::Verdict::inconclusive ? inconclusive_ + 1 : 0;
    const bool settled = confirmation.verdict != model::Verdict::inconclusive ||  //
                         inconclusive_ >= settings_.most_inconclusive;
    if (!settled) return;
    level_ = std::max(level_, confirmation.effect + rise_);
    inconclusive_ = 0;
  }
  bool asks(double average) const { return average > level_; }

 private:
  const AnchorSettings& settings_;
  double rise_, level_;
  int inconclusive_ = 0;
};

}  // namespace

AnchorReading read_anchor(const model::Series& series, std::span<const AnchorNight> nights, int set_on,
                          const Thresholds& thresholds, const AnchorSettings& settings) {
  AnchorReading reading;
  if (model::is_evidence(series.metric)) return reading;
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
    reading.asks = reading.nights > 0 && patience.asks(reading.average);
    if (one.confirmation) {
      patience.confirmed(*one.confirmation);
      reading.average = one.confirmation->effect;
      reading.asks = false;
    }
    reading.watched = reading.average > settings.watch_share * least;
  }
  return reading;
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
