// How image models round the number of channels when they are made narrower or wider.
#pragma once

#include <cstdint>

namespace tbci::suite {

// A multiple of 8 that does not lose more than a tenth by the rounding.
std::int64_t scaled_channels(std::int64_t channels, double width);

}  // namespace tbci::suite
