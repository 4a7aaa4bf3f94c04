#include "base/clock.hpp"

#include <fmt/chrono.h>

#include <condition_variable>
#include <mutex>

namespace tbci {

namespace {

std::tm utc(TimePoint time) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(time));
}

}  // namespace

TimePoint SystemClock::now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

bool SystemClock::sleep_for(std::chrono::milliseconds duration, std::stop_token stop) {
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
