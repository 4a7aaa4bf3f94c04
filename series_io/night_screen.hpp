// The screen of a whole history: each night against the nights before it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::series_io {

struct NightScreen {
  std::size_t window = 10;       ///< the newest nights that make the baseline
  std::size_t least_nights = 3;  ///< with fewer, nothing is said
};

/// One value a night in the metric's unit (ns, bytes), nothing where there is none; `levels`: the nights at which a
/// change point begins a new level, ascending. The baseline of a night is the median (on logarithms, for what is not a
/// leak) of the last nights before it that have a value. It begins anew at a new level, once `least_nights` of that are
/// before the night: so a step is suspect while it is young, and the new normal then. A night is `clear`, `suspect`
/// (`change` says which way), or `inconclusive` with the reason.
std::vector<model::Finding> screen_nights(const model::Series& series, std::span<const std::optional<double>> nights,
                                          std::span<const std::size_t> levels, const detect::Thresholds& thresholds,
                                          const NightScreen& settings = {});

}  // namespace tbci::series_io
