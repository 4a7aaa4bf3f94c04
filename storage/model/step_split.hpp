// What the step from one build to another consists of, in one case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/model/words.hpp"

namespace tbci::model {

enum class CauseKind {
  kernel,         ///< an operator computes for longer, or is called more often
  overhead,       ///< time around the kernels
  page_faults,    ///< memory is touched for the first time more often
  tier,           ///< rows come from a slower memory for longer
  communication,  ///< with other ranks, and waiting for what they send
  waiting,        ///< the thread has nothing to do for longer
};
/// The five overheads of "Building a Performance Model for Deep Learning Recommendation Model Training on GPUs". On a
/// CPU a kernel is an innermost operator, and its launch is what each call of it takes, whatever it computes.
enum class OverheadKind {
  between_operators,
  before_kernel,    ///< in an operator, until its first kernel begins
  between_kernels,  ///< in an operator
  after_kernel,     ///< in an operator, from its last kernel's end on
  launch,
};
/// `kernel`, `page faults`.
std::string_view to_string(CauseKind kind);
/// `between operators`, `launch`.
std::string_view to_string(OverheadKind kind);

struct StepPart {
  CauseKind kind{};
  std::optional<OverheadKind> overhead = {};  ///< of kind overhead
  std::string name = {};                      ///< of the operator, hostile text; empty: of all operators, or of none
  double nanoseconds = 0;                     ///< that an iteration takes more; below 0: less
  double calls_before = 0, calls_after = 0;   ///< of the operator in an iteration; 0 where none is named
  bool clear = false;                         ///< each pair of recordings shows it, by a third of it at least
};

struct StepSplit {
  Case measured;
  int recordings = 0;             ///< of each build, each in a process of its own
  double before = 0, after = 0;   ///< nanoseconds of an iteration, medians over the recordings
  std::vector<StepPart> parts;    ///< the largest first, by what they are worth either way
  double rest = 0;                ///< nanoseconds, in parts that are too small: with these all add up to the difference
  std::optional<StepPart> cause;  ///< what explains the step: a part, or several of a kind, without a name
  double difference() const { return after - before; }
};

/// What changed, as a sentence without a full stop: `aten.mm.default takes longer in itself`. Hostile text.
std::string sentence_of(const StepPart& part);

}  // namespace tbci::model
