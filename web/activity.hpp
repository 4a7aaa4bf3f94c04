// What the service is doing now, for the page.
#pragma once

#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/progress.hpp"

namespace tbci::web {

/// The work at one moment.
struct ActivitySnapshot {
  bool busy = false;
  std::string subject, stage, about, step, last_note;
  int done = 0, expected = 0;
  TimePoint since{};       ///< beginning of the stage
  TimePoint next_check{};  ///< when idle: the next planned check; the epoch: none
};

/// Receives progress from the worker thread. Any thread may take a snapshot.
class Activity final : public Progress {
 public:
  explicit Activity(const Clock& clock) : clock_(clock) {}
  void begin(std::string_view subject);
  void end();
  void plan(TimePoint next_check);
  ActivitySnapshot snapshot() const;

  void begin_stage(std::string_view stage, std::string_view about, int expected_steps) override;
  void step(std::string_view what) override;
  void expect(int steps) override;
  void end_stage(std::string_view outcome) override;
  void note(std::string_view text) override;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  ActivitySnapshot snapshot_;
};

}  // namespace tbci::web
