// What CUPTI records of the GPU's work. Compiled where cuda.cmake finds cupti.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "suite/gpu/split.hpp"

namespace tbci::suite {

struct GpuRecord {
  GpuActivity activity;
  std::uint32_t call = 0;  // CUPTI's number of the call of CUDA that launched it
  std::uint32_t stream = 0;
};

struct GpuRecords {
  std::vector<GpuRecord> work;
  std::unordered_map<std::uint32_t, std::uint64_t> callers;  // who had entered last when a call was made
};

enum class Traced { work, work_and_callers };

// CUPTI records while this object lives; one at a time. All functions say on the standard error why they fail, as
// `tbci-worker: PURPOSE: why`.
class Tracing {
 public:
  Tracing(Traced what, std::string purpose);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  // Empty if CUPTI records.
  const std::string& why_not() const { return why_not_; }

  // By the clock of the records, in nanoseconds.
  std::optional<std::int64_t> now();

  // Waits for the records of all work so far, which the GPU has finished. Nothing if some were lost or have no times.
  std::optional<GpuRecords> records();

  // Marks the calls of this thread as those of `who`, until the `leave` that belongs to it.
  static void enter(std::uint64_t who);
  static void leave();

 private:
  bool good(int result, const char* doing);

  std::string purpose_;
  std::string why_not_;
  std::vector<int> kinds_;  // that are enabled
};

}  // namespace tbci::suite
