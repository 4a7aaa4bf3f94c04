// Whether this machine counts instructions, and if not, why.
#pragma once

#include <filesystem>
#include <string>

namespace tbci::runner {

struct CounterState {
  bool counts = false;
  std::string why;     ///< where it does not
  std::string remedy;  ///< what would change that
};

/// What is known where the counter did not open, or opened and stood still.
struct CounterFailure {
  int error = 0;          ///< errno of perf_event_open; 0: it opened
  int paranoid = 2;       ///< kernel.perf_event_paranoid; from 3 on (Debian's kernels) only root may count
  bool filtered = false;  ///< a seccomp filter is on: a container
  bool virtual_machine = false;
};
/// The state that such a failure means. Pure.
CounterState explain(const CounterFailure& failure);

/// Tries it on this process. `root`: the folder in which proc/ and sys/ lie, for the reasons.
CounterState try_counter(const std::filesystem::path& root);

}  // namespace tbci::runner
