#include "storage/model/step_split.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tbci::model {

namespace {

std::string overhead_sentence(const StepPart& part, std::string_view more) {
  const std::string_view name = part.name.empty() ? "each operator" : std::string_view(part.name);
  switch (part.overhead.value_or(OverheadKind::between_operators)) {
    case OverheadKind::between_operators:
      return fmt::format("{} time passes in no operator", more);
    case OverheadKind::before_kernel:
      return fmt::format("{} spends {} before its first kernel", name, more);
    case OverheadKind::between_kernels:
      return fmt::format("{} spends {} between its kernels", name, more);
    case OverheadKind::after_kernel:
      return fmt::format("{} spends {} after its last kernel", name, more);
    case OverheadKind::launch:
      return fmt::format("each call of {} costs {}, whatever its size", name, more);
  }
  return "";
}

// A number of calls explains what goes its way, where it is another by a tenth at least.
std::string kernel_sentence(const StepPart& part) {
  const double more_calls = part.calls_after - part.calls_before;
  const std::string called = fmt::format("called {:.0f} times, before {:.0f}", part.calls_after, part.calls_before);
  if (more_calls * part.nanoseconds > 0 && 10 * std::abs(more_calls) >= part.calls_before)
    return fmt::format("{} is {}", part.name, called);
  const bool differs = std::lround(part.calls_before) != std::lround(part.calls_after);
  return fmt::format("{} takes {} in itself{}", part.name, part.nanoseconds >= 0 ? "longer" : "less time",
                     differs ? fmt::format(" ({})", called) : "");
}

std::string most_of_it_in(const StepPart& part) {
  return part.name.empty() ? "" : ", most of it in " + part.name;
}

}  // namespace

std::string_view to_string(CauseKind kind) {
  switch (kind) {
    case CauseKind::kernel:
      return "kernel";
    case CauseKind::overhead:
      return "overhead";
    case CauseKind::page_faults:
      return "page faults";
    case CauseKind::tier:
      return "tier";
    case CauseKind::communication:
      return "communication";
    case CauseKind::waiting:
      return "waiting";
  }
  return "";
}

std::string_view to_string(OverheadKind kind) {
  switch (kind) {
    case OverheadKind::between_operators:
      return "between operators";
    case OverheadKind::before_kernel:
      return "before the first kernel";
    case OverheadKind::between_kernels:
      return "between kernels";
    case OverheadKind::after_kernel:
      return "after the last kernel";
    case OverheadKind::launch:
      return "launch";
  }
  return "";
}

std::string sentence_of(const StepPart& part) {
  const bool grew = part.nanoseconds >= 0;
  const std::string_view more = grew ? "more" : "less";
  switch (part.kind) {
    case CauseKind::kernel:
      if (part.name.empty())
        return fmt::format("several operators take {} in themselves", grew ? "longer" : "less time");
      return kernel_sentence(part);
    case CauseKind::overhead:
      return overhead_sentence(part, more);
    case CauseKind::page_faults:
      return fmt::format("{} memory is touched for the first time{}", more, most_of_it_in(part));
    case CauseKind::tier:
      return fmt::format("the slower memory tier takes {}{}", grew ? "longer" : "less time", most_of_it_in(part));
    case CauseKind::communication:
      return fmt::format("communication between ranks takes {}{}", grew ? "longer" : "less time", most_of_it_in(part));
    case CauseKind::waiting:
      return fmt::format("the thread waits {}", grew ? "longer" : "less");
  }
  return "";
}

}  // namespace tbci::model
