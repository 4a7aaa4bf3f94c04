#include "bisect/side.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

constexpr double trimmed_share = 0.2;
/// Of the pairs, how many may be wild: a slow process, a busy machine.
constexpr double wild_share = 0.05;
/// Below this a t test of a probe that is like neither end knows too little of the noise.
constexpr std::size_t fewest_for_t = 8;

double gaussian(double distance, double scale) {
  return std::exp(-0.5 * std::pow(distance / scale, 2)) / (scale * std::sqrt(2 * std::numbers::pi));
}

/// How much one effect speaks for `step` and against 0, as a logarithm. A wild effect is as likely on either side.
double log_likelihood_ratio(double effect, const Step& step) {
  const double spread = 10 * std::max(10 * step.scale, std::abs(step.size));
  const double wild = wild_share / spread;
  const double as_bad = (1 - wild_share) * gaussian(effect - step.size, step.scale) + wild;
  const double as_good = (1 - wild_share) * gaussian(effect, step.scale) + wild;
  return std::log(as_bad / as_good);
}

/// Of a Gaussian sample with these effects, on the safe side where they are few.
double scale_of(const detect::Estimate& estimate, std::size_t count, double floor) {
  const double left = estimate.degrees + 1;
  const double scale = estimate.standard_error * std::sqrt(static_cast<double>(count)) * (1 + 2 / left);
  return std::max(scale, floor);
}

}  // namespace

SideDecision decide_side(std::span<const double> effects, const Step& step, const SideSettings& settings) {
  TBCI_ASSERT(step.scale > 0 && step.size != 0);
  SideDecision decision;
  if (effects.empty()) return decision;
  decision.estimate = detect::trimmed_mean(effects, trimmed_share, step.scale);
  const auto count = static_cast<int>(effects.size());
  if (count < settings.first_pairs) return decision;

  double evidence = 0;
  for (double effect : effects) evidence += log_likelihood_ratio(effect, step);
  const double certain = std::log((1 - settings.error) / settings.error);
  decision.certain = true;
  if (evidence > certain) {
    decision.side = model::Side::bad;
    return decision;
  }
  if (evidence < -certain) {
    decision.side = model::Side::good;
    return decision;
  }

  // In the direction of the step, from its middle.
  detect::Estimate from_middle = detect::trimmed_mean(effects, trimmed_share, 0.1 * step.scale);
  from_middle.location = std::copysign(1.0, step.size) * (from_middle.location - step.size / 2);
  if (effects.size() >= fewest_for_t) {
    if (detect::lower_bound(from_middle, settings.error) > 0) decision.side = model::Side::bad;
    if (detect::upper_bound(from_middle, settings.error) < 0) decision.side = model::Side::good;
    if (decision.side != model::Side::unknown) return decision;
  }
  decision.certain = false;
  if (count >= settings.most_pairs) {
    decision.side = from_middle.location > 0 ? model::Side::bad : model::Side::good;
  }
  return decision;
}

StepDecision decide_step(std::span<const double> effects, const StepSettings& settings) {
  TBCI_ASSERT(settings.scale_floor > 0 && settings.least >= 0);
  StepDecision decision;
  if (effects.empty()) return decision;
  decision.estimate = detect::trimmed_mean(effects, trimmed_share, settings.scale_floor);
  decision.low = detect::lower_bound(decision.estimate, settings.alpha);
  decision.high = detect::upper_bound(decision.estimate, settings.alpha);
  const auto count = static_cast<int>(effects.size());
  if (count < settings.first_pairs) return decision;

  const double size = decision.estimate.location;
  const bool up = size > settings.least && decision.low > 0;
  const bool down = settings.either_direction && size < -settings.least && decision.high < 0;
  const bool none = decision.high < settings.least && (!settings.either_direction || decision.low > -settings.least);
  if (up || down) {
    decision.verdict = StepVerdict::shown;
    decision.step = {size, scale_of(decision.estimate, effects.size(), settings.scale_floor)};
  } else if (none || count >= settings.most_pairs) {
    decision.verdict = StepVerdict::absent;
  }
  return decision;
}

}  // namespace tbci::bisect
