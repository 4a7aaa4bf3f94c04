// What is running now, as the page shows it.
#pragma once

#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/progress.hpp"

namespace tbci::web {

/// A picture of the work at one moment.
struct ActivityPicture {
  bool busy = false;
  std::string subject, stage, about, step, last_note;
  int done = 0, expected = 0;
  TimePoint since{};       ///< beginning of the stage
  TimePoint next_check{};  ///< when idle: the next planned check; epoch: none
};

/// Takes progress from the working thread and hands pictures to any thread.
class Activity final : public Progress {
 public:
  explicit Activity(const Clock& clock) : clock_(clock) {}
  void begin(std::string_view subject);
  void end();
  void plan(TimePoint next_check);
  ActivityPicture picture() const;

  void begin_stage(std::string_view stage, std::string_view about, int expected_steps) override;
  void step(std::string_view what) override;
  void expect(int steps) override;
  void end_stage(std::string_view outcome) override;
  void note(std::string_view text) override;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  ActivityPicture picture_;
};

}  // namespace tbci::web
