#include "daemon/scheduler.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/log.hpp"

namespace tbci::daemon {

namespace {

constexpr std::chrono::minutes first_retry{10};

}  // namespace

TimePoint next_check(const Timetable& timetable, TimePoint last) {
  if (!timetable.time_of_day) return last + timetable.poll;
  const auto midnight = std::chrono::floor<std::chrono::days>(last);
  const TimePoint today = midnight + *timetable.time_of_day;
  return today > last ? today : today + std::chrono::days(1);
}

Scheduler::Scheduler(std::vector<Job> jobs, const Clock& clock) : clock_(clock) {
  TBCI_ASSERT(!jobs.empty());
  for (Job& job : jobs) entries_.push_back({.job = std::move(job), .due = clock.now()});
}

TimePoint Scheduler::step(std::stop_token stop) {
  for (Entry& entry : entries_) {
    if (entry.due <= clock_.now() && !stop.stop_requested()) run(entry, stop);
  }
  return std::ranges::min_element(entries_, {}, &Entry::due)->due;
}

void Scheduler::run(Entry& entry, std::stop_token stop) {
  const Status status = entry.job.work(std::move(stop));
  entry.due = next_check(entry.job.timetable, clock_.now());
  if (status) {
    entry.failures = 0;
    return;
  }
  if (status.error().kind == ErrorKind::interrupted) return;
  const auto pause = first_retry * (1 << std::min(entry.failures, 6));
  ++entry.failures;
  entry.due = std::min<TimePoint>(entry.due, clock_.now() + pause);
  log::error("{}: {}; next try at {}", entry.job.name, status.error().message, to_iso8601(entry.due));
}

}  // namespace tbci::daemon
