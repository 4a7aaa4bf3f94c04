// Turns of several tbci on one machine: only one at a time measures on a CPU.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

struct CpuTurnSettings {
  /// With one lock file for each CPU, shared by all users of the machine.
  std::filesystem::path folder;
  std::vector<int> cpus;  ///< that are measured on
  /// After this time without a turn the wait ends with an error.
  std::chrono::milliseconds longest_wait = std::chrono::minutes(20);
  /// Told once, where the turn does not come at once: who holds the CPUs.
  std::function<void(const std::string&)> on_wait = {};
};

/// The folder for the locks: /run/lock, which every user may write to; else the folder for temporary files.
std::filesystem::path cpu_lock_folder();

/// While it lives, no other process has a turn on any of its CPUs. It ends with the process, however that ends.
class CpuTurn {
 public:
  /// Waits until the CPUs are free. Who waits goes before who comes back, so two take turns. Errors: `transient` after
  /// the longest wait, naming the holder; `interrupted`; `environment` where the folder cannot be used.
  static Result<CpuTurn> take(const CpuTurnSettings& settings, std::stop_token stop);
  CpuTurn(CpuTurn&& other) noexcept = default;
  CpuTurn& operator=(CpuTurn&& other) noexcept;
  CpuTurn(const CpuTurn&) = delete;
  CpuTurn& operator=(const CpuTurn&) = delete;
  ~CpuTurn();

 private:
  CpuTurn() = default;
  void release();
  std::vector<int> descriptors_;
};

}  // namespace tbci::runner
