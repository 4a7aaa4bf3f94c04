// The GPUs' state of the moment: what changes by itself, and so is no part of the machine's fingerprint.
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
  bool clocks_locked = true;           ///< application clocks below or at what it always holds, or unknown
  std::vector<std::string> throttled;  ///< reasons for which its clock is lower than wanted: `power limit`, ...
  std::vector<std::string> processes;  ///< programs that use it now
};

/// The reasons in the bit mask that nvidia-smi gives (`0x0000000000000004`), without idleness and the clocks that
/// somebody chose. Meanings: nvmlClocksEventReasons of nvml.h.
std::vector<std::string> throttle_reasons(std::string_view mask);

/// What nvidia-smi tells; none where there is no GPU.
std::vector<GpuState> look_at_gpus(ProcessRunner& processes, std::stop_token stop);

}  // namespace tbci::runner
