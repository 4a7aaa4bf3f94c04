// The hints of timelines made by hand.
#pragma once

#include <vector>

#include "detect/timeline/hints.hpp"
#include "tests/catch.hpp"

namespace tbci::made_timeline {

inline std::vector<detect::Hint> hints_of(const model::Timeline& timeline) {
  const auto look = detect::look_into(timeline);
  REQUIRE(look);
  return detect::hints_of(*look);
}

}  // namespace tbci::made_timeline
