// A clock that only the test advances.
#pragma once

#include "base/clock.hpp"

namespace tbci::test {

class StandingClock final : public Clock {
 public:
  explicit StandingClock(TimePoint now) : time(now) {}
  TimePoint now() const override { return time; }
  bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const override {
    time += duration;
    return !stop.stop_requested();
  }
  mutable TimePoint time;
};

}  // namespace tbci::test
