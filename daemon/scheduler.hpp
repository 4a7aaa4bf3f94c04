// When each subject is checked. The caller runs the loop, so that tests can control the time.
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

/// When a subject is checked.
struct Timetable {
  std::optional<std::chrono::minutes> time_of_day;  ///< UTC, after midnight
  std::chrono::milliseconds poll{};                 ///< without a time of day: this long after the last check
};

/// The time of the next check after `last`. Pure.
TimePoint next_check(const Timetable& timetable, TimePoint last);

/// When a job asks to be called again, where that is before its next regular time.
using EarlierCall = std::optional<TimePoint>;

struct Job {
  std::string name;
  Timetable timetable;
  std::function<Result<EarlierCall>(std::stop_token)> work;
};

/// Runs jobs one after the other, because a machine measures one thing at a time. A clock that is set back delays no
/// job beyond what its timetable says from the new time on. Not thread-safe.
class Scheduler {
 public:
  /// Every job is due at once, so that interrupted work continues when the service starts.
  Scheduler(std::vector<Job> jobs, const Clock& clock);

  /// Runs all jobs that are due; returns the time of the next one. A job that fails is logged and retried after 10
  /// minutes; the pause doubles up to the job's next regular time.
  TimePoint step(std::stop_token stop);
  /// Whether a job waits.
  bool is_due() const;

 private:
  struct Entry {
    Job job;
    TimePoint due;
    int failures = 0;
  };
  TimePoint due_time(const Entry& entry) const;
  void run(Entry& entry, std::stop_token stop);

  std::vector<Entry> entries_;
  const Clock& clock_;
};

}  // namespace tbci::daemon
