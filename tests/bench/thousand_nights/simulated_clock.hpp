// Two times: the true one, which work and sleep move on, and what the machine's clock shows. Used by one thread.
#pragma once

#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "tests/bench/thousand_nights/weather.hpp"

namespace tbci::thousand {

class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(std::vector<ClockJump> jumps) : true_(first_midnight()), jumps_(std::move(jumps)) {}

  TimePoint now() const override { return true_ + ahead_; }
  bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const override {
    advance(duration);
    return !stop.stop_requested();
  }
  TimePoint true_now() const { return true_; }
  void advance(std::chrono::milliseconds duration) const {
    true_ += duration;
    while (next_ < jumps_.size() && jumps_[next_].at <= true_) ahead_ = jumps_[next_++].ahead;
  }

 private:
  mutable TimePoint true_;
  mutable std::chrono::milliseconds ahead_{};
  mutable std::size_t next_ = 0;
  std::vector<ClockJump> jumps_;
};

}  // namespace tbci::thousand
