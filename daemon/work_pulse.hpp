// Whether the thread that works still does: what the watchdog asks.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"

namespace tbci::daemon {

/// The thread is alive while it reports progress within the limit, or waits for a child process, or for a server's
/// answer, whose own time limit is not over. Thread-safe if its clock is.
class WorkPulse {
 public:
  /// The longest time without progress outside a child. A search over many commits thinks for minutes.
  static constexpr std::chrono::minutes default_limit{30};

  explicit WorkPulse(const Clock& clock, std::chrono::milliseconds limit = default_limit);

  void beat();
  void wait_begins(std::chrono::milliseconds time_limit);
  void wait_ends();
  /// What is wrong, as a sentence; empty while the thread is alive.
  std::string trouble() const;

 private:
  const Clock& clock_;
  std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;
  int waits_ = 0;
  // Not of the wall clock, which may be set.
  SteadyTime last_beat_;
  SteadyTime alive_until_;
};

/// Runs children through another runner; their time limits count for the pulse.
class PulsingProcesses final : public ProcessRunner {
 public:
  PulsingProcesses(ProcessRunner& processes, WorkPulse& pulse) : processes_(processes), pulse_(pulse) {}
  Result<ProcessOutcome> run(const Command& command, std::stop_token stop = {}) override;

 private:
  ProcessRunner& processes_;
  WorkPulse& pulse_;
};

/// Tells the time of another clock; a sleep counts for the pulse: who waits for another tbci sleeps again and again.
class PulsingClock final : public Clock {
 public:
  PulsingClock(const Clock& clock, WorkPulse& pulse) : clock_(clock), pulse_(pulse) {}
  TimePoint now() const override { return clock_.now(); }
  SteadyTime steady_now() const override { return clock_.steady_now(); }
  bool sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const override;

 private:
  const Clock& clock_;
  WorkPulse& pulse_;
};

/// Sends through another client; the time limits of the requests count for the pulse, as those of children do.
class PulsingHttp final : public HttpClient {
 public:
  PulsingHttp(HttpClient& http, WorkPulse& pulse) : http_(http), pulse_(pulse) {}
  Result<HttpResponse> send(const HttpRequest& request) override;
  Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) override;

 private:
  HttpClient& http_;
  WorkPulse& pulse_;
};

/// Hands progress on; each call is a beat.
class PulsingProgress final : public Progress {
 public:
  PulsingProgress(Progress& progress, WorkPulse& pulse) : progress_(progress), pulse_(pulse) {}
  void begin_stage(std::string_view stage, std::string_view about, int expected_steps) override;
  void step(std::string_view what) override;
  void expect(int steps) override;
  void end_stage(std::string_view outcome) override;
  void note(std::string_view text) override;

 private:
  Progress& progress_;
  WorkPulse& pulse_;
};

}  // namespace tbci::daemon
