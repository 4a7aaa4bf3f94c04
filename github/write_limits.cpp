#include "github/write_limits.hpp"

#include <fmt/format.h>

namespace tbci::github {

namespace {

constexpr std::chrono::milliseconds pause_between_writes = std::chrono::seconds(1);
constexpr std::chrono::milliseconds counted_time = std::chrono::hours(1);

}  // namespace

tl::expected<void, Attempt> WriteLimits::take_turn(std::string_view doing, std::stop_token stop) {
  const SteadyTime now = clock_.steady_now();
  while (!begun_.empty() && begun_.front() + counted_time <= now) begun_.pop_front();
  if (begun_.size() >= static_cast<std::size_t>(most_in_an_hour_)) {
    const TimePoint until = clock_.now() + (begun_.front() + counted_time - now);
    return tl::unexpected(Attempt::retry(
        {ErrorKind::transient, fmt::format("{}: tbci has written {} times in the last hour, as often as it may; it "
                                           "goes on after {}",
                                           doing, begun_.size(), to_iso8601(until))},
        until));
  }
  if (last_ && now < *last_ + pause_between_writes && !clock_.sleep_for(*last_ + pause_between_writes - now, stop)) {
    return tl::unexpected(Attempt::retry({ErrorKind::interrupted, fmt::format("stopped before {}", doing)}));
  }
  return {};
}

void WriteLimits::begins() {
  last_ = clock_.steady_now();
  begun_.push_back(*last_);
}

void WriteLimits::ends() {
  last_ = clock_.steady_now();
}

}  // namespace tbci::github
