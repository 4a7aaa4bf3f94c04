#include "suite/instructions.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tbci::suite {

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  file_ = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::int64_t> InstructionCounter::read() const {
  std::int64_t count = 0;
  if (file_ < 0 || ::read(file_, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return std::nullopt;
  return count;
}

}  // namespace tbci::suite
