// How far a command of several stages has come as a whole.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::daemon {

struct PlannedStage {
  std::string name;
  double share = 0;  ///< of the command's time, as it usually is
};

/// The stages of a nightly check, with the shares of a night that brings one regression.
std::vector<PlannedStage> stages_of_a_night();

/// The part of the whole that is done, and the time left. Pure: the caller brings the time.
class TotalProgress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit TotalProgress(std::vector<PlannedStage> plan);

  /// A stage that is not planned, or was passed already, counts as a part of the one that runs.
  void begin_stage(std::string_view name);
  /// `done` of `expected` steps of the stage are done; 0 expected: not known.
  void steps(int done, int expected, Time now);
  /// From 0 to 1; never less than it was.
  double fraction() const { return fraction_; }
  /// By the pace since the first step, so that work which an earlier call finished does not count. Nothing while too
  /// little is known.
  std::optional<std::chrono::nanoseconds> left(Time now) const;
  /// `[#######-------------] 36%, about 2 min left`
  std::string text(Time now) const;

 private:
  std::vector<PlannedStage> plan_;
  std::size_t current_ = 0;
  double fraction_ = 0;
  std::optional<Time> first_;
  double first_fraction_ = 0;
};

}  // namespace tbci::daemon
