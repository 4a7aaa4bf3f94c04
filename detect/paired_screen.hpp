// The screen of two builds that are measured in turn: judged by their pairs, as the confirmation is.
//
// Whatever moves the machine moves both processes of a pair. The medians of two builds that are the same differed by
// more than 7% in 13 of 96 cases on a machine that became slower meanwhile; their pairs did in none (docs/measured.md).
#pragma once

#include <span>

#include "detect/effect.hpp"
#include "detect/stopping_rule.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

struct PairedScreen {
  /// `clear`, `suspect` (worse where `change` is above 0, better where it is below) or `inconclusive` with the reason.
  model::Finding finding;
  bool decided = false;  ///< more pairs would hardly change the verdict: the series wants none
};

/// Judges a series by the pairs measured so far. The estimate is the median of their effects.
///
/// A series is decided early where each of at least `Thresholds::early_pairs` pairs lies within `early_share` of the
/// threshold: a step that is worth an issue would have to hide in every one of them. From `Sampling::least` pairs on it
/// is decided where the interval of the median (`Sampling::confidence`) lies wholly on one side of the screen's
/// threshold, and at `Sampling::most` in any case. A leak is decided by its first pair: what each process says of it
/// has an interval of its own. Secondary metrics are always clear. Pure; safe from any thread.
PairedScreen screen_pairs(const model::Series& series, std::span<const Pair> pairs, const Thresholds& thresholds,
                          const Sampling& sampling);

/// Whether every effect lies so near to 0 that the series may leave early, and there are enough of them. Pure.
bool clearly_unchanged(std::span<const double> effects, const Thresholds& thresholds);

}  // namespace tbci::detect
