// What an iteration would take if an operator were slower or faster. Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "detect/timeline/parts.hpp"

namespace tbci::detect {

/// A supposed change of an operator: its kernels take `factor` times as long, and each of its calls `more` nanoseconds.
struct SupposedChange {
  std::string name;   ///< `aten.addmm`, which means all of its overloads, or `aten.addmm.out`
  double factor = 1;  ///< of the time that its kernels compute: page faults and waiting stay
  double more = 0;    ///< nanoseconds a call; below 0: less
};

/// `aten.addmm=1.2`, `aten::addmm=+500ns`, `aten.mm=-2us`. Errors (usage) name the text and the two forms.
Result<SupposedChange> supposed_change_from(std::string_view text);

bool is_named(const SupposedChange& change, std::string_view operator_name);

struct SupposedTime {
  double before = 0, after = 0;  ///< nanoseconds of an iteration, without the recorder where that is known
  double kernels = 0;            ///< of `before`, in the named operators' kernels
  double calls = 0;              ///< of the named operators
  double share() const { return before > 0 ? after / before - 1 : 0; }
};

/// On a CPU, where one thread iterates: the critical path of "Building a Performance Model for Deep Learning
/// Recommendation Model Training on GPUs" is the sum of its parts there, so that a change of one part is one of the
/// whole. On a CPU a kernel is an innermost operator. One that calls others computes if a call is long in itself
/// (StepThresholds::long_call), as addmm, which copies its bias first; else it has calls and no kernels. An operator
/// that two changes name is changed by both.
SupposedTime supposed_time(const IterationParts& parts, std::span<const SupposedChange> changes);

/// The names of the operators in these recordings, without their overloads, each once.
std::vector<std::string> operator_names(const RecordedParts& recordings);

}  // namespace tbci::detect
