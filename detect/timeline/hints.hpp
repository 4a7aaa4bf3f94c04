// What a timeline hints at: section 4.1 of the TorchBench paper. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/timeline/look.hpp"

namespace tbci::detect {

enum class HintKind {
  small_calls,   ///< many small calls of one operator, or of the same few, in a row
  one_element,   ///< a tensor of one element is made and computed with, though the host knows the number
  same_copy,     ///< the same tensor is copied or converted in each iteration
  device_waits,  ///< the device waits while the host works
  page_faults,   ///< memory is touched for the first time, again and again
  short_calls,   ///< calls are as short as it takes to call
};
std::string_view to_string(HintKind kind);

/// Numbers are of one iteration: means over those of the timeline.
struct Hint {
  HintKind kind{};
  std::string name;         ///< of the operator: hostile text. model::in_no_operator for time in none
  std::string within = {};  ///< the operator that makes these calls: hostile text. Empty: the model itself
  double calls = 0;
  double time = 0;   ///< nanoseconds in these calls
  double share = 0;  ///< that time as a part of the iteration
  double gain = 0;   ///< the part of the iteration that a change would save
  bool operator==(const Hint&) const = default;
};

/// `aten._to_copy.default, in aten.addmm.default`. Hostile text.
std::string place_of(const Hint& hint);
/// What to try, in a sentence.
std::string what_to_try(const Hint& hint);

struct HintThresholds {
  double least_gain = 0.01;  ///< of the iteration: less is not worth a line
  int least_repeats = 8;     ///< of a cycle of operators, to be "in a row"
  std::size_t longest_cycle = 12;
  double short_call = 5;  ///< times a call that computes one number
};

/// The largest gain first. A call counts for one hint at most, but for page faults. On a GPU a call takes what the
/// device does for it: what it costs the host may be hidden behind that. The gains, by kind:
/// - small_calls: what the calls take beyond reading and writing, once, the memory that a cycle of them is given or
///   changes, at the speed of a copy, and beyond one call: as one fused call would.
/// - one_element: all of the calls whose tensors, in and out, have one element, where that does not depend on data: the
///   number can be kept. (A scalar may cost more than a tensor that is kept: it becomes a tensor at each call.)
/// - same_copy: all of the call: the copy can be kept. Only where the source is the same memory in each iteration,
///   nothing writes to it or to the copy, and it holds no batch of data. An operator's own copies count as the model's.
/// - device_waits: the device's gaps during the operator.
/// - page_faults: the faults, each as long as a page's first touch on this machine (fault_time.hpp).
/// - short_calls: what the calls take beyond the copy of their memory and their floating-point operations.
std::vector<Hint> hints_of(const Look& look, const HintThresholds& thresholds = {});

}  // namespace tbci::detect
