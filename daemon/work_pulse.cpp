#include "daemon/work_pulse.hpp"

#include <algorithm>

namespace tbci::daemon {

namespace {

// After its time limit a child is ended, with all its descendants; then its output is read to the end.
constexpr std::chrono::minutes time_to_end_a_wait{5};

}  // namespace

WorkPulse::WorkPulse(const Clock& clock, std::chrono::milliseconds limit) : clock_(clock), limit_(limit) {
  beat();
}

void WorkPulse::beat() {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.steady_now();
  last_beat_ = now;
  alive_until_ = waits_ == 0 ? now + limit_ : std::max(alive_until_, now + limit_);
}

void WorkPulse::wait_begins(std::chrono::milliseconds time_limit) {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.steady_now();
  ++waits_;
  last_beat_ = now;
  alive_until_ = std::max(alive_until_, now + time_limit + time_to_end_a_wait);
}

void WorkPulse::wait_ends() {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.steady_now();
  waits_ = std::max(waits_ - 1, 0);
  last_beat_ = now;
  if (waits_ == 0) alive_until_ = now + limit_;
}

std::string WorkPulse::trouble() const {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.steady_now();
  if (now <= alive_until_) return {};
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(now - last_beat_).count();
  if (waits_ > 0)
    return fmt::format(
        "a child process or a request has not ended {} minutes after it began, although its time is over", minutes);
  return fmt::format("the work has stood still for {} minutes", minutes);
}

Result<ProcessOutcome> PulsingProcesses::run(const Command& command, std::stop_token stop) {
  pulse_.wait_begins(command.time_limit);
  auto outcome = processes_.run(command, std::move(stop));
  pulse_.wait_ends();
  return outcome;
}

bool PulsingClock::sleep_for(std::chrono::milliseconds duration, std::stop_token stop) const {
  pulse_.wait_begins(duration);
  const bool slept = clock_.sleep_for(duration, std::move(stop));
  pulse_.wait_ends();
  return slept;
}

Result<HttpResponse> PulsingHttp::send(const HttpRequest& request) {
  pulse_.wait_begins(request.time_limit);
  auto answer = http_.send(request);
  pulse_.wait_ends();
  return answer;
}

Result<HttpResponse> PulsingHttp::receive(const HttpRequest& request, const TakePart& take) {
  pulse_.wait_begins(request.time_limit);
  auto answer = http_.receive(request, take);
  pulse_.wait_ends();
  return answer;
}

void PulsingProgress::begin_stage(std::string_view stage, std::string_view about, int expected_steps) {
  pulse_.beat();
  progress_.begin_stage(stage, about, expected_steps);
}

void PulsingProgress::step(std::string_view what) {
  pulse_.beat();
  progress_.step(what);
}

void PulsingProgress::expect(int steps) {
  pulse_.beat();
  progress_.expect(steps);
}

void PulsingProgress::end_stage(std::string_view outcome) {
  pulse_.beat();
  progress_.end_stage(outcome);
}

void PulsingProgress::note(std::string_view text) {
  pulse_.beat();
  progress_.note(text);
}

}  // namespace tbci::daemon
