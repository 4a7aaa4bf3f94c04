// Progress for a person: one line with a bar and the time left on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "daemon/cli/total_progress.hpp"

namespace tbci::daemon {

class TerminalProgress final : public Progress {
 public:
  /// `stream` is standard error: standard output is kept for answers. With a plan the bar and the time left are of the
  /// whole command; without one they are of the running stage.
  explicit TerminalProgress(std::FILE* stream, std::vector<PlannedStage> plan = {});
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void begin_stage(std::string_view stage, std::string_view about, int expected_steps) override;
  void step(std::string_view what) override;
  void expect(int steps) override;
  void end_stage(std::string_view outcome) override;
  void note(std::string_view text) override;

 private:
  using Steady = std::chrono::steady_clock;
  void line(const std::string& text);
  void draw();
  std::string state() const;
  void wipe();

  std::FILE* stream_;
  bool interactive_;
  bool drawn_ = false;
  std::optional<TotalProgress> total_;
  std::string stage_, step_;
  int begun_ = 0, expected_ = 0;
  Steady::time_point stage_begin_{}, last_plain_line_{};
};

/// How many characters a line of the terminal holds; 80 where it is not a terminal.
std::size_t columns_of(std::FILE* stream);

/// `[#####-----] 5/10, 12 s left`: of the steps done so far and the time they took.
std::string bar(int done, int expected, std::chrono::nanoseconds elapsed);

/// The bar and the running step; the step alone while there is nothing to count.
std::string stage_state(int done, int expected, std::chrono::nanoseconds elapsed, const std::string& step);

}  // namespace tbci::daemon
