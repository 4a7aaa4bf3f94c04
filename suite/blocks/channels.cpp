#include "suite/blocks/channels.hpp"

#include <algorithm>

namespace tbci::suite {

std::int64_t scaled_channels(const std::int64_t channels, const double width) {
  const double exact = static_cast<double>(channels) * width;
  std::int64_t rounded = std::max<std::int64_t>(8, (static_cast<std::int64_t>(exact) + 4) / 8 * 8);
  if (static_cast<double>(rounded) < 0.9 * exact) rounded += 8;
  return rounded;
}

}  // namespace tbci::suite
