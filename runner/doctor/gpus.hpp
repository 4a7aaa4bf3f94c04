// The current state of the driver and the GPUs. It changes on its own, so it is not part of the machine's fingerprint.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"

namespace tbci::runner {

/// The number that a value begins with; 0 where there is none: `N/A`, `Requested functionality has been deprecated`.
template <typename Number>
Number leading_number(std::string_view value) {
  Number number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

struct GpuState {
  int number = 0;
  std::string name, uuid;
  std::string bus;  ///< `00000000:0F:00.0`
  bool persistent = true;
  bool divided = false;                  ///< into instances (MIG)
  std::string instance;                  ///< that is measured on: `1g.10gb`; empty: none was chosen
  std::uint64_t uncorrected_errors = 0;  ///< of its memory, since the driver started
  int clock_mhz = 0;                     ///< of the multiprocessors, now; 0: unknown
  int highest_clock_mhz = 0;
  int application_clock_mhz = 0;       ///< that programs get at most; nothing on GPUs and drivers without such a clock
  int lower_clock_mhz = 0;             ///< one that it supports, about three quarters of the highest
  std::vector<std::string> throttled;  ///< why its clock is lower than requested: `power limit`, ...
  std::vector<std::string> processes;  ///< programs that use it now
};

struct GpuFacts {
  bool driver = false;               ///< its module is loaded
  bool device = false;               ///< /dev/nvidia0, or one of another number
  bool unified_memory = false;       ///< /dev/nvidia-uvm, without which CUDA does not start
  bool tool = false;                 ///< nvidia-smi runs
  std::string trouble;               ///< what nvidia-smi says, or why it does not run; empty: it lists the GPUs
  std::string not_found;             ///< why the GPU of `[measure] gpu` is not there; empty: it is, or none is chosen
  std::string driver_version, cuda;  ///< `580.159.04`, and the newest CUDA that it runs: `13.0`; empty: unknown
  std::vector<GpuState> gpus;

  bool any_trace() const { return driver || device || tool; }
};

/// What `nvidia-smi -q` says of the driver and each GPU. Omits what a driver does not say. Pure.
GpuFacts parse_gpu_report(std::string_view text);

/// `root`: the folder that contains proc/ and dev/. `gpu`: the only one that is looked at, as MeasureSettings::gpu.
GpuFacts look_at_gpus(ProcessRunner& processes, const std::filesystem::path& root, const std::string& gpu,
                      std::stop_token stop);

}  // namespace tbci::runner
