// The first, loose look at a night: which series deserve a confirmation. Nothing is ever filed from it.
#pragma once

#include <span>

#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// One value per process of the old build and of the new one. The verdict is `clear`, `suspect` (worse where `change`
/// is above 0, better where it is below: both want a confirmation) or `inconclusive` with the reason, where values are
/// missing or can't be true. Pure.
model::Finding screen(const model::Series& series, std::span<const double> before, std::span<const double> after,
                      const Thresholds& thresholds);

}  // namespace tbci::detect
