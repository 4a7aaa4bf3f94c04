#include "suite/instructions.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tbci::suite {

std::optional<std::int64_t> counted_between(const CounterReading& before, const CounterReading& after) {
  const bool ran_throughout = after.running - before.running == after.enabled - before.enabled;
  if (!ran_throughout || after.running <= before.running || after.count <= before.count) return std::nullopt;
  return static_cast<std::int64_t>(after.count - before.count);
}

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  file_ = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) ::close(file_);
}

std::optional<CounterReading> InstructionCounter::read() const {
  std::uint64_t values[3] = {};  // in the order that read_format gives
  if (file_ < 0 || ::read(file_, values, sizeof values) != static_cast<ssize_t>(sizeof values)) return std::nullopt;
  return CounterReading{values[0], values[1], values[2]};
}

}  // namespace tbci::suite
