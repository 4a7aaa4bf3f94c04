// The verdict, from interleaved pairs of processes: old, new, old, new, on the same machine.
#pragma once

#include <span>

#include "detect/effect.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

struct Judgement {
  /// `regression`, `improvement`, `clear` or `inconclusive`; `suspect` while more pairs are wanted. `low` and `high`
  /// are one-sided bounds of `Thresholds::clear_alpha` each (99.8% between them).
  model::Finding finding;
  int pairs_wanted = 0;  ///< number of further pairs to measure before the next call, with all pairs; 0: decided
};

/// Judges a series by all pairs measured so far, in the order of measuring. With none it says how many to begin with.
/// A pair that can't be true (see is_usable) makes the series inconclusive: leave out processes that failed.
/// `earlier`: number of the first pairs that are of earlier nights (detect::Candidate): tonight begins with its first
/// pairs and ends with its most as if there were none, and decides by all of them. Pure.
Judgement confirm(const model::Series& series, std::span<const Pair> pairs, const Thresholds& thresholds,
                  int earlier = 0);

}  // namespace tbci::detect
