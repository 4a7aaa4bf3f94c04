// How image models round the number of channels when they are made narrower or wider.
#pragma once

#include <cstdint>

namespace tbci::suite {

// Rounds to a multiple of 8 and loses at most a tenth of the channels.
std::int64_t scaled_channels(std::int64_t channels, double width);

}  // namespace tbci::suite
