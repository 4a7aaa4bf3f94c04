#include "base/clock.hpp"

#include <fmt/chrono.h>

#include <charconv>
#include <condition_variable>
#include <mutex>

#include "base/text.hpp"

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

SteadyTime SystemClock::steady_now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now());
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

Result<TimePoint> date_from(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const auto number = [&](std::size_t from, std::size_t count, auto& value) {
    const char* begin = text.data() + from;
    const auto read = std::from_chars(begin, begin + count, value);
    return read.ec == std::errc() && read.ptr == begin + count;
  };
  if (shaped && number(0, 4, year) && number(5, 2, month) && number(8, 2, day)) {
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    if (date.ok()) return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::sys_days(date));
  }
  return fail(ErrorKind::usage, "'{}' is not a date: write it as 2026-11-21", one_line(text, 40));
}

}  // namespace tbci
