// Counts the instructions that this process executes in user mode, where the machine has such a counter.
#pragma once

#include <cstdint>
#include <optional>

namespace tbci::suite {

// What the kernel says of a counter: its count, and for how long it was wanted and really ran (nanoseconds, over all
// threads).
struct CounterReading {
  std::uint64_t count = 0;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
};

// Instructions between two readings. Nothing where the counter did not run all that time: where more counters are
// wanted than the processor has, the kernel lets them take turns, and what it extrapolates from that is a guess, no
// count. Nothing too where no instruction was counted, which no piece of work takes.
std::optional<std::int64_t> counted_between(const CounterReading& before, const CounterReading& after);

class InstructionCounter {
 public:
  // Counts the calling thread and the threads that it makes from now on, and theirs: make it before LibTorch makes its
  // own.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // Since the start; nothing where the machine (often a virtual one) does not count.
  std::optional<CounterReading> read() const;

 private:
  int file_ = -1;
};

}  // namespace tbci::suite
