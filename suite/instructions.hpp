// Counts the instructions that this process executes in user mode, where the machine has such a counter.
#pragma once

#include <cstdint>
#include <optional>

namespace tbci::suite {

class InstructionCounter {
 public:
  InstructionCounter();  // counts the calling thread and the threads that it makes afterwards
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // Since the start; nothing where the machine (often a virtual one) does not count.
  std::optional<std::int64_t> read() const;

 private:
  int file_ = -1;
};

}  // namespace tbci::suite
