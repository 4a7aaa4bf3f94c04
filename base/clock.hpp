// Time behind an interface, so that tests can set it. One clock is made where the program starts and handed to all
// that need one.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci {

using TimePoint = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
/// Of a clock that nobody sets: only differences mean something.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::milliseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  /// For durations. The one of a test moves with `now`.
  virtual SteadyTime steady_now() const { return SteadyTime(now().time_since_epoch()); }
  /// Sleeps for the duration or until a stop is requested, whichever comes first. False where a stop was requested.
  virtual bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
  SteadyTime steady_now() const override;
  bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const override;
};

/// `2026-11-21T04:46:48Z`.
std::string to_iso8601(TimePoint time);
/// `2026-11-21`, in UTC.
std::string to_date(TimePoint time);
/// The beginning of a day in UTC, from `2026-11-21`. Errors are of kind usage.
Result<TimePoint> date_from(std::string_view text);

}  // namespace tbci
