// The arithmetic of a profile: which operator gets the time between two events, and what is typical. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tbci::suite {

using Instant = std::chrono::steady_clock::time_point;
using Span = std::chrono::steady_clock::duration;

struct Tally {
  std::int64_t calls = 0;
  Span self{};  // without the operators that it called
};

// Follows one thread from event to event. The time between two events belongs to the operator that was entered last and
// not left yet. The time from an event to its `resume` belongs to the profiler. Operators are small numbers, whose
// meaning the caller defines.
class SelfTimes {
 public:
  void enter(std::size_t who, Instant now);
  void leave(Instant now);  // the operator entered last; does nothing if none was
  void resume(Instant now);

  // The times since the last call, by number, and the profiler's own time. A call counts where it begins.
  std::vector<Tally> take();
  Span take_own();

 private:
  void charge(Instant now);

  std::vector<std::size_t> inside_;
  std::vector<Tally> tallies_;
  Instant last_{};
  Span own_{};
};

// One profiled iteration, over all threads.
struct ProfiledIteration {
  Span whole{};      // by the clock
  Span own{};        // the profiler's part of it
  Span unwatched{};  // by the clock, of an unprofiled iteration just before
  std::map<std::string, Tally> operators;
};

struct ProfiledOperator {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t self_nanoseconds = 0;
};

// Of one iteration: means over the middle half of the iterations by their length. So a few delayed ones do not count,
// and the operators and the time outside of them add up to the iteration (medians would not).
struct Profile {
  int iterations = 0;
  std::int64_t iteration_nanoseconds = 0;   // without the profiler's own time
  std::int64_t outside_nanoseconds = 0;     // the part in no operator. Never below 0, even if threads overlapped
  std::int64_t profiler_nanoseconds = 0;    // the profiler's own time, already subtracted
  std::int64_t unwatched_nanoseconds = 0;   // an unprofiled iteration; should be near the first
  std::vector<ProfiledOperator> operators;  // the most expensive first
};

Profile summarize(const std::vector<ProfiledIteration>& iterations);

}  // namespace tbci::suite
