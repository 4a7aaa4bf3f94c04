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

// Never later than the timetable allows from now on: a time beyond that was set before the clock was set back.
TimePoint Scheduler::due_time(const Entry& entry) const {
  return std::min(entry.due, next_check(entry.job.timetable, clock_.now()));
}

bool Scheduler::is_due() const {
  const TimePoint now = clock_.now();
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.due <= now; });
}

TimePoint Scheduler::step(std::stop_token stop) {
  for (Entry& entry : entries_) {
    entry.due = due_time(entry);
    if (entry.due <= clock_.now() && !stop.stop_requested()) run(entry, stop);
  }
  return std::ranges::min_element(entries_, {}, &Entry::due)->due;
}

void Scheduler::run(Entry& entry, std::stop_token stop) {
  const Result<EarlierCall> earlier = entry.job.work(std::move(stop));
  const TimePoint now = clock_.now();
  entry.due = next_check(entry.job.timetable, now);
  if (earlier) {
    entry.failures = 0;
    if (*earlier) entry.due = std::min(entry.due, std::max(**earlier, now));
    return;
  }
  if (earlier.error().kind == ErrorKind::interrupted) return;
  const auto pause = first_retry * (1 << std::min(entry.failures, 6));
  ++entry.failures;
  entry.due = std::min<TimePoint>(entry.due, now + pause);
  log::error("{}: {}; next try at {}", entry.job.name, earlier.error().message, to_iso8601(entry.due));
}

}  // namespace tbci::daemon
