#include "web/activity.hpp"

#include "base/log.hpp"

namespace tbci::web {

void Activity::begin(std::string_view subject) {
  const std::lock_guard lock(mutex_);
  const TimePoint next_check = picture_.next_check;
  picture_ = {};
  picture_.busy = true;
  picture_.subject = subject;
  picture_.since = clock_.now();
  picture_.next_check = next_check;
}

void Activity::end() {
  const std::lock_guard lock(mutex_);
  picture_.busy = false;
  picture_.stage.clear();
  picture_.step.clear();
}

void Activity::plan(TimePoint next_check) {
  const std::lock_guard lock(mutex_);
  picture_.next_check = next_check;
}

ActivityPicture Activity::picture() const {
  const std::lock_guard lock(mutex_);
  return picture_;
}

void Activity::begin_stage(std::string_view stage, std::string_view about, int expected_steps) {
  {
    const std::lock_guard lock(mutex_);
    picture_.stage = stage;
    picture_.about = about;
    picture_.step.clear();
    picture_.done = 0;
    picture_.expected = expected_steps;
    picture_.since = clock_.now();
  }
  log::info("{}: {}", stage, about);
}

void Activity::step(std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (!picture_.step.empty()) ++picture_.done;
  picture_.step = what;
}

void Activity::expect(int steps) {
  const std::lock_guard lock(mutex_);
  picture_.expected = steps;
}

void Activity::end_stage(std::string_view outcome) {
  std::string stage;
  {
    const std::lock_guard lock(mutex_);
    stage = picture_.stage;
    picture_.step.clear();
    picture_.last_note = outcome;
  }
  log::info("{}: done: {}", stage, outcome);
}

void Activity::note(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    picture_.last_note = text;
  }
  log::info("{}", text);
}

}  // namespace tbci::web
