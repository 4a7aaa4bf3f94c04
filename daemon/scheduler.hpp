// When each subject is checked. A loop that tests advance by hand.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::daemon {

/// When a subject wants to be checked.
struct Timetable {
  std::optional<std::chrono::minutes> time_of_day;  ///< UTC, after midnight
  std::chrono::milliseconds poll{};                 ///< where there is no time of day: this long after the last check
};

/// The first moment after `last` at which the timetable wants a check. Pure.
TimePoint next_check(const Timetable& timetable, TimePoint last);

struct Job {
  std::string name;
  Timetable timetable;
  std::function<Status(std::stop_token)> work;
};

/// Runs jobs one after the other: a machine measures one thing at a time. Used by one thread.
class Scheduler {
 public:
  /// Every job is due at once: what was cut off when the service ended goes on when it begins.
  Scheduler(std::vector<Job> jobs, const Clock& clock);

  /// Does all that is due; when to come again. A job that fails is logged and tried again after 10 minutes, doubling up
  /// to its next regular time.
  TimePoint step(std::stop_token stop);

 private:
  struct Entry {
    Job job;
    TimePoint due;
    int failures = 0;
  };
  void run(Entry& entry, std::stop_token stop);

  std::vector<Entry> entries_;
  const Clock& clock_;
};

}  // namespace tbci::daemon
