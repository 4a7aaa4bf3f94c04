// Which calls of a timeline belong to a slower memory tier, and which to communication. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "detect/timeline/look.hpp"

namespace tbci::detect {

enum class Region : std::uint8_t {
  none,
  tier,           ///< rows are brought in from a slower memory, or waited for
  communication,  ///< with other processes, or waiting for what they send
};

/// A model marks a tier (`tbci:tier`): a call that is not an operator, around others. The operators of c10d
/// communicate, and what Gloo does for them, waiting included (`gloo.wait`).
Region region_named(std::string_view name);
/// `tbci:tier` itself, not what is in it.
bool is_region_mark(std::string_view name);

/// One for each call: its own, or that of the innermost call around it that has one.
std::vector<Region> regions_of(const Look& look);

}  // namespace tbci::detect
