// Which hints a change added: those of one build that the other one has not, or has for less time. Pure.
#pragma once

#include <vector>

#include "detect/timeline/hints.hpp"

namespace tbci::detect {

/// What one process recorded: all its hints, however small, and nanoseconds of an iteration.
struct HintRecording {
  std::vector<Hint> hints;
  double whole = 0;
};

struct AddedHint {
  Hint hint;  ///< of the build after: medians over its recordings. `gain`: what the change added to it, no more
  double calls_before = 0;
  bool operator==(const AddedHint&) const = default;
};

/// What can be gained in time is compared, not its share: that of one hint grows when another part gets quicker. A hint
/// was added where each recording of `after` can gain more than any of `before`, by `least_gain` of an iteration after:
/// one recording differs from the next of the same build. Of hints at small calls (one_element, small_calls,
/// short_calls) no more was added than all of them together grew by: a call that is named otherwise was there before.
/// The largest first; none where one side has no recording.
std::vector<AddedHint> added_hints(const std::vector<HintRecording>& before, const std::vector<HintRecording>& after,
                                   double least_gain);

}  // namespace tbci::detect
