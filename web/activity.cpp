#include "web/activity.hpp"

#include "base/log.hpp"

namespace tbci::web {

void Activity::begin(std::string_view subject) {
  const std::lock_guard lock(mutex_);
  const TimePoint next_check = snapshot_.next_check;
  snapshot_ = {};
  snapshot_.busy = true;
  snapshot_.subject = subject;
  snapshot_.since = clock_.now();
  snapshot_.next_check = next_check;
}

void Activity::end() {
  const std::lock_guard lock(mutex_);
  snapshot_.busy = false;
  snapshot_.stage.clear();
  snapshot_.step.clear();
}

void Activity::plan(TimePoint next_check) {
  const std::lock_guard lock(mutex_);
  snapshot_.next_check = next_check;
}

ActivitySnapshot Activity::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void Activity::begin_stage(std::string_view stage, std::string_view about, int expected_steps) {
  {
    const std::lock_guard lock(mutex_);
    snapshot_.stage = stage;
    snapshot_.about = about;
    snapshot_.step.clear();
    snapshot_.done = 0;
    snapshot_.expected = expected_steps;
    snapshot_.since = clock_.now();
  }
  log::info("{}: {}", stage, about);
}

void Activity::step(std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (!snapshot_.step.empty()) ++snapshot_.done;
  snapshot_.step = what;
}

void Activity::expect(int steps) {
  const std::lock_guard lock(mutex_);
  snapshot_.expected = steps;
}

void Activity::end_stage(std::string_view outcome) {
  std::string stage;
  {
    const std::lock_guard lock(mutex_);
    stage = snapshot_.stage;
    snapshot_.step.clear();
    snapshot_.last_note = outcome;
  }
  log::info("{}: done: {}", stage, outcome);
}

void Activity::note(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    snapshot_.last_note = text;
  }
  log::info("{}", text);
}

}  // namespace tbci::web
