// How two values of a metric are set against each other: time and memory by the logarithm of their ratio, leaks by
// their difference in bytes per iteration. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "detect/thresholds.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/words.hpp"

namespace tbci::detect {

/// Two processes of one case, run one after the other or in turn: the old build's value and the new one's, in the
/// metric's unit.
struct Pair {
  double before = 0, after = 0;
  /// Of leaks: what the values lie between, where the workers said it.
  std::optional<model::Interval> before_interval = std::nullopt, after_interval = std::nullopt;
};

bool is_leak(model::Metric metric);
bool is_memory(model::Metric metric);  ///< peaks, not leaks

/// Whether a value can be true: finite; above 0 unless it is a leak's.
bool is_usable(model::Metric metric, double value);

/// The pair with `rise`, an effect, added to the value of the old build: a known change between the two builds is then
/// not a part of their difference.
Pair with_rise(model::Metric metric, Pair pair, double rise);

/// Above 0: `after` is worse. Nothing where a value is not usable.
std::optional<double> effect(model::Metric metric, const Pair& pair);

/// The effect on the time of two processes whose iterations took turns: the median over the iterations of the logarithm
/// of their ratio. What slowed the machine for some iterations is in both terms of these ratios. Nothing where one
/// process has more iterations than the other, or a time is not above 0. docs/decisions/0027-pairs-by-iteration.md
std::optional<double> effect_in_turn(std::span<const std::int64_t> before, std::span<const std::int64_t> after);

/// What a confirmation found of the series, as `effect` measures it.
double effect_of(const model::Finding& finding);

/// The effect that is worth an issue: log(1 + relative), or the leak's floor.
double least_effect(model::Metric metric, const Thresholds& thresholds);

/// No process repeats itself better than this: standard deviation of one effect, at the least.
double effect_scale_floor(model::Metric metric, const Thresholds& thresholds);

/// The effect as a fraction of the old value. Infinite for a leak that came from nothing.
double as_change(model::Metric metric, double effect, double before);

}  // namespace tbci::detect
