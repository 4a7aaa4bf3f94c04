// A recorded iteration from a timeline that a test made.
#pragma once

#include "detect/predict/recorded_calls.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::made_timeline {

inline detect::RecordedIteration recorded_from(MadeTimeline& made) {
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  const auto recorded = detect::recorded_iteration(*look);
  if (!recorded) FAIL(recorded.error().message);
  return *recorded;
}

}  // namespace tbci::made_timeline
