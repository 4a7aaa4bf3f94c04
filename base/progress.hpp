// Reports what the program is doing: to a terminal, a log, or the page of the service.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tbci {

/// Where the work stands. Called from the thread that works.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A stage begins: `measure`, with what it is about: `16 cases on 2 builds`. `expected_steps` 0: not known.
  virtual void begin_stage(std::string_view stage, std::string_view about, int expected_steps) = 0;
  /// The next piece of work of the stage begins: `dlrm/cpu-train on 2026-01-07, process 3 of 5`.
  virtual void step(std::string_view what) = 0;
  /// The expectation of the running stage changed (a search needs more or fewer builds).
  virtual void expect(int steps) = 0;
  /// The running stage is over: `3 suspects`.
  virtual void end_stage(std::string_view outcome) = 0;
  /// A fact worth a line of its own: `dlrm/cpu-train/time is 31% slower`.
  virtual void note(std::string_view text) = 0;
};

/// Reports nothing.
class SilentProgress final : public Progress {
 public:
  void begin_stage(std::string_view, std::string_view, int) override {}
  void step(std::string_view) override {}
  void expect(int) override {}
  void end_stage(std::string_view) override {}
  void note(std::string_view) override {}
};

}  // namespace tbci
