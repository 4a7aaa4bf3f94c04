#include "base/clock.hpp"

#include <fmt/chrono.h>

#include <condition_variable>
#include <mutex>

namespace tbci {

namespace {

std::tm utc(TimePoint time) {
  // Not by way of the system's clock: its nanoseconds end in the year 2262.
  return fmt::gmtime(
      static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count()));
}

}  // namespace

TimePoint SystemClock::now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

bool SystemClock::sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

std::string to_iso8601(TimePoint time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(time));
}

std::string to_date(TimePoint time) {
  return fmt::format("{:%Y-%m-%d}", utc(time));
}

}  // namespace tbci
