#include "detect/timeline/hints.hpp"

#include "detect/timeline/categories.hpp"
#include "detect/timeline/evidence.hpp"

namespace tbci::detect {

std::string_view to_string(HintKind kind) {
  switch (kind) {
    case HintKind::small_calls:
      return "small calls in a row";
    case HintKind::one_element:
      return "tensor of one element";
    case HintKind::same_copy:
      return "same copy each time";
    case HintKind::device_waits:
      return "device waits";
    case HintKind::page_faults:
      return "page faults";
    case HintKind::short_calls:
      return "short calls";
  }
  return "";
}

std::string place_of(const Hint& hint) {
  return hint.within.empty() ? hint.name : hint.name + ", in " + hint.within;
}

std::string what_to_try(const Hint& hint) {
  switch (hint.kind) {
    case HintKind::small_calls:
      return "do it in one call: a _fused_ or _foreach_ operator, or one flat tensor; gradients can be set to none";
    case HintKind::one_element:
      return "compute the number once, on the host, and keep it: it depends on no data";
    case HintKind::same_copy:
      return hint.within.empty() ? "make the copy once and keep it"
                                 : "do without the copy there, or give the operator what needs none";
    case HintKind::device_waits:
      return waits_for_device(hint.name) ? "do not read the result on the host, or read it later"
                                         : "prepare this before, or do it on the device";
    case HintKind::page_faults:
      return "keep the memory: write into a tensor that lasts, or let the allocator keep what is freed";
    case HintKind::short_calls:
      return "make fewer calls: join the tensors, or compile the model";
  }
  return "";
}

std::vector<Hint> hints_of(const Look& look, const HintThresholds& thresholds) {
  HintSums sums(look);
  Claimed claimed(look.calls.size());
  find_one_element(look, claimed, sums);
  find_same_copy(look, claimed, sums);
  if (!look.timeline.on_gpu) {  // a device that is busy hides what a call costs the host
    find_small_calls(look, thresholds, claimed, sums);
    find_short_calls(look, thresholds, claimed, sums);
    find_page_faults(look, sums);
  }
  find_device_waits(look, claimed, sums);
  return sums.hints(thresholds);
}

}  // namespace tbci::detect
