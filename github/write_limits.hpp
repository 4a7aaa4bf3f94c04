// How often tbci writes.
#pragma once

#include <deque>
#include <optional>
#include <stop_token>
#include <string_view>
#include <tl/expected.hpp>

#include "base/clock.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

/// GitHub asks for a second between two requests that write, and takes 500 in an hour from one account. Counts those
/// of this object alone. Not thread-safe.
class WriteLimits {
 public:
  WriteLimits(int most_in_an_hour, const Clock& clock) : most_in_an_hour_(most_in_an_hour), clock_(clock) {}

  /// Waits for the second. An attempt that did not come through where the hour is full (retry, with the time at which
  /// it no longer is) or a stop was requested (interrupted).
  tl::expected<void, Attempt> take_turn(std::string_view doing, std::stop_token stop);
  /// To be called when the request begins, and when its answer is there.
  void begins();
  void ends();

 private:
  int most_in_an_hour_;
  const Clock& clock_;
  std::deque<SteadyTime> begun_;  // in the last hour, the oldest first
  std::optional<SteadyTime> last_;
};

}  // namespace tbci::github
