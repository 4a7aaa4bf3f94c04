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
  std::size_t least_nights = 3;  ///< with fewer nights there is no verdict
};

/// One value a night in the metric's unit (ns, bytes), nothing where there is none; `levels`: the nights at which a
/// change point begins a new level, ascending. The baseline of a night is the median (on logarithms, for what is not a
/// leak) of the last nights before it that have a value. A new level has a baseline of its own
/// once `least_nights` of its nights are before the night: a step is suspect at first, and normal from then on. A night
/// is `clear`, `suspect`
/// (`change` says which way), or `inconclusive` with the reason.
std::vector<model::Finding> screen_nights(const model::Series& series, std::span<const std::optional<double>> nights,
                                          std::span<const std::size_t> levels, const detect::Thresholds& thresholds,
                                          const NightScreen& settings = {});

}  // namespace tbci::series_io
