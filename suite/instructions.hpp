// Counts the instructions that this process executes in user mode, if the machine has such a counter.
#pragma once

#include <cstdint>
#include <optional>

namespace tbci::suite {

// The kernel's reading of a counter: its count, and how long it was enabled and actually ran (nanoseconds, over all
// threads).
struct CounterReading {
  std::uint64_t count = 0;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
};

// Instructions between two readings. Nothing if the counter did not run all that time: if more counters are enabled
// than the processor has, the kernel lets them take turns, and an extrapolation from that is an estimate and not a
// count. Also nothing if the count is zero, because every piece of work executes instructions.
std::optional<std::int64_t> counted_between(const CounterReading& before, const CounterReading& after);

class InstructionCounter {
 public:
  // Counts the calling thread and all threads that descend from it from now on. Make it before LibTorch starts its
  // threads.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // Since the start; nothing if the machine (often a virtual one) has no counter.
  std::optional<CounterReading> read() const;

 private:
  int file_ = -1;
};

}  // namespace tbci::suite
