// Checks whether this machine counts instructions, and why it does not.
#pragma once

#include <filesystem>
#include <string>

namespace tbci::runner {

struct CounterState {
  bool counts = false;
  std::string why;     ///< why it does not; empty if it does
  std::string remedy;  ///< how to change that
};

/// What is known if the counter did not open, or opened and did not advance.
struct CounterFailure {
  int error = 0;          ///< errno of perf_event_open; 0: it opened
  int paranoid = 2;       ///< kernel.perf_event_paranoid; from 3 on (Debian's kernels) only root may count
  bool filtered = false;  ///< a seccomp filter is on: a container
  bool virtual_machine = false;
};
/// The state that such a failure means. Pure.
CounterState explain(const CounterFailure& failure);

/// Counts the instructions of this process. `root`: the folder that contains proc/ and sys/, to explain a failure.
CounterState try_counter(const std::filesystem::path& root);

}  // namespace tbci::runner
