// Made-up histories of series whose steps are known, for measuring change points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::test {

struct History {
  std::vector<double> values;      ///< one a night
  std::vector<std::size_t> steps;  ///< first nights of the levels after the first one
};

constexpr const char* history_kinds =
    "null, ar03, ar06, slow-runs, steps, small, short, spikes, two-speeds, flicker, bursts, handful";

/// Nothing where the kind is unknown. Times around 1e6, noise multiplied on; the same seed gives the same history.
///   null        2% noise, no step               ar03, ar06   the same, correlated 0.3 or 0.6 from night to night
///   slow-runs   2% noise, 2% of nights 10 to 40% slower, no step
///   steps       2% noise, +8%, -5% and +10% at the quarters
///   small       1% noise, +2%, -2%, +2% at the quarters
///   short       2% noise, three times five nights at +10%
///   spikes      2% noise, one night in fifty (at least one) at +30% or -25%, none next to another; no step
///   two-speeds  1% noise, two levels 10% apart that last 20 to 60 nights each
///   flicker     1% noise, each night by itself is 10% slower with probability 0.2; no step
///   bursts      like spikes, and the middle half of the nights three times as noisy; no step
///   handful     1% noise, +10% in the middle
inline std::optional<History> make_history(std::string_view kind, std::size_t nights, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> gaussian;
  std::uniform_real_distribution<double> uniform;
  History history;
  std::vector<double> levels(nights, 0);
  double noise = 0.02, correlation = 0;
  const auto raise = [&](std::size_t first, std::size_t end, double change) {
    for (std::size_t i = first; i < std::min(end, nights); ++i) levels[i] += std::log1p(change);
  };
  const auto step = [&](std::size_t first, double change) {
    raise(first, nights, change);
    history.steps.push_back(first);
  };
  const auto spike = [&] {
    std::size_t i = 3 + static_cast<std::size_t>(uniform(random) * 5);
    for (; i + 1 < nights; i += 3 + static_cast<std::size_t>(uniform(random) * 94)) {
      levels[i] += uniform(random) < 0.5 ? std::log(1.3) : std::log(0.75);
    }
  };
  std::vector<double> widths(nights, 1);
  if (kind == "null") {
  } else if (kind == "ar03" || kind == "ar06") {
    correlation = kind == "ar03" ? 0.3 : 0.6;
  } else if (kind == "slow-runs") {
    for (double& level : levels) level += uniform(random) < 0.02 ? std::log(1.1 + 0.3 * uniform(random)) : 0;
  } else if (kind == "steps" || kind == "small") {
    const bool small = kind == "small";
    if (small) noise = 0.01;
    step(nights / 4, small ? 0.02 : 0.08);
    step(nights / 2, small ? -0.02 : -0.05);
    step(nights * 3 / 4, small ? 0.02 : 0.10);
  } else if (kind == "short") {
    for (const std::size_t first : {nights / 4, nights / 2, nights * 3 / 4}) {
      raise(first, first + 5, 0.10);
      history.steps.insert(history.steps.end(), {first, first + 5});
    }
  } else if (kind == "spikes" || kind == "bursts") {
    spike();
    if (kind == "bursts")
      std::fill(widths.begin() + static_cast<std::ptrdiff_t>(nights / 4),
                widths.begin() + static_cast<std::ptrdiff_t>(nights * 3 / 4), 3);
  } else if (kind == "handful") {
    noise = 0.01;
    step(nights / 2, 0.10);
  } else if (kind == "two-speeds") {
    noise = 0.01;
    double change = 0.10;
    for (std::size_t i = 20; i + 10 < nights; i += 20 + static_cast<std::size_t>(uniform(random) * 41)) {
      step(i, change);
      change = 1 / (1 + change) - 1;
    }
  } else if (kind == "flicker") {
    noise = 0.01;
    for (double& level : levels) level += uniform(random) < 0.2 ? std::log(1.1) : 0;
  } else {
    return std::nullopt;
  }
  double state = gaussian(random);
  for (std::size_t i = 0; i < nights; ++i) {
    if (i > 0) state = correlation * state + std::sqrt(1 - correlation * correlation) * gaussian(random);
    history.values.push_back(1e6 * std::exp(levels[i] + noise * widths[i] * state));
  }
  return history;
}

}  // namespace tbci::test
