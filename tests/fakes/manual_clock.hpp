// Time that a test moves. Sleeping moves it too and returns at once. Used by one thread.
#pragma once

#include "base/clock.hpp"

namespace tbci::test {

class ManualClock final : public Clock {
 public:
  ManualClock() = default;
  explicit ManualClock(TimePoint now) : now_(now) {}
  TimePoint now() const override { return now_; }
  bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const override {
    now_ += duration;
    return !stop.stop_requested();
  }
  void set(TimePoint time) { now_ = time; }
  void advance(std::chrono::milliseconds duration) { now_ += duration; }

 private:
  mutable TimePoint now_{std::chrono::milliseconds(1767700000000)};  // 2026-01-06T11:46:40Z
};

}  // namespace tbci::test
