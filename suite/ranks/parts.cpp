#include "suite/ranks/parts.hpp"

#include <algorithm>

namespace tbci::suite::ranks {

void Parts::add(const Collective& one) {
  const std::int64_t waited_until = std::clamp(one.arrived, one.wait_begin, one.wait_end);
  waiting += waited_until - one.wait_begin;
  exposed += (one.returned - one.called) + (one.wait_end - waited_until);
  hidden += std::max<std::int64_t>(std::min(one.completed, one.wait_begin) - std::max(one.arrived, one.returned), 0);
}

}  // namespace tbci::suite::ranks
