// The arithmetic of a profile: who has the time between two events, and what is typical of an iteration. Pure.
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
  Span self{};  // in it, without what it called
};

// Follows one thread from event to event. The time between two events is of whoever was entered last and not left yet.
// An event has a length of its own, from when it is told to `resume`: nobody has that but the profiler. Who is entered
// is a small number, which the caller gives a meaning.
class SelfTimes {
 public:
  void enter(std::size_t who, Instant now);
  void leave(Instant now);  // whoever was entered last; where nobody was, nothing
  void resume(Instant now);

  // What was gathered since the last call, by number, and the profiler's own time. Calls are counted where they begin.
  std::vector<Tally> take();
  Span take_own();

 private:
  void charge(Instant now);

  std::vector<std::size_t> inside_;
  std::vector<Tally> tallies_;
  Instant last_{};
  Span own_{};
};

// One iteration as it was seen, from all threads together.
struct ProfiledIteration {
  Span whole{};      // by the clock
  Span own{};        // of that: the profiler's
  Span unwatched{};  // by the clock, of another one right before it that nobody watched
  std::map<std::string, Tally> operators;
};

struct ProfiledOperator {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t self_nanoseconds = 0;
};

// Of one iteration: means over the middle half of the iterations by their length, so a few that were held up do not
// count, and the operators and what is outside of them add up to the iteration (medians would not).
struct Profile {
  int iterations = 0;
  std::int64_t iteration_nanoseconds = 0;   // without the profiler's own time
  std::int64_t outside_nanoseconds = 0;     // of it: in no operator. Never below 0, also where threads overlapped
  std::int64_t profiler_nanoseconds = 0;    // the profiler's own time, which was taken off
  std::int64_t unwatched_nanoseconds = 0;   // an iteration that nobody watches: what the first should be near to
  std::vector<ProfiledOperator> operators;  // the most expensive first
};

Profile summarize(const std::vector<ProfiledIteration>& iterations);

}  // namespace tbci::suite
