// The current state of the GPUs. It changes on its own, so it is not part of the machine's fingerprint.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"

namespace tbci::runner {

struct GpuState {
  int number = 0;
  std::string name;
  bool persistent = true;
  bool clocks_locked = true;           ///< application clocks are below the maximum, or unknown
  std::vector<std::string> throttled;  ///< why its clock is lower than requested: `power limit`, ...
  std::vector<std::string> processes;  ///< programs that use it now
};

/// The reasons in nvidia-smi's bit mask (`0x0000000000000004`), except idleness and clocks that a user has set.
/// Meanings: nvmlClocksEventReasons of nvml.h.
std::vector<std::string> throttle_reasons(std::string_view mask);

/// What nvidia-smi reports; empty without a GPU.
std::vector<GpuState> look_at_gpus(ProcessRunner& processes, std::stop_token stop);

}  // namespace tbci::runner
