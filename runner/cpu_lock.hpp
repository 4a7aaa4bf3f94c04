// Locks of CPUs among several tbci on one machine: only one at a time measures on a CPU.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::runner {

struct CpuLockSettings {
  /// With one lock file for each CPU, shared by all users of the machine.
  std::filesystem::path folder;
  std::vector<int> cpus;  ///< that are measured on
  /// After this time the wait for the CPUs ends with an error. Another tbci has them for the time of a process, or of
  /// two in turn and the two packages that `aoti` makes for them, which have time limits of their own.
  std::chrono::milliseconds longest_wait = std::chrono::hours(1);
  /// Called once, where the CPUs are not free: who holds them.
  std::function<void(const std::string&)> on_wait = {};
};

/// The folder for the locks: /run/lock, which every user may write to; else the folder for temporary files.
std::filesystem::path cpu_lock_folder();

/// While it lives, no other process holds a lock of any of its CPUs. It ends with the process, however that ends.
class CpuLock {
 public:
  /// Waits until the CPUs are free. A process that waits comes before one that asks again, so two measure alternately.
  /// Errors: `transient` after the longest wait, naming the holder; `interrupted`; `machine` where the folder
  /// cannot be used.
  static Result<CpuLock> take(const CpuLockSettings& settings, const Clock& clock, std::stop_token stop);
  CpuLock(CpuLock&& other) noexcept = default;
  CpuLock& operator=(CpuLock&& other) noexcept;
  CpuLock(const CpuLock&) = delete;
  CpuLock& operator=(const CpuLock&) = delete;
  ~CpuLock();

 private:
  CpuLock() = default;
  void release();
  std::vector<int> descriptors_;
};

}  // namespace tbci::runner
