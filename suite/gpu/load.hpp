// What a GPU was like while it was measured: its clock, its temperature, and what held the clock down.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tbci::suite {

// One reading by NVML, whose library comes with the driver.
struct GpuState {
  std::int64_t sm_mhz = 0;
  std::int64_t celsius = 0;
  std::uint64_t held_down_by = 0;  // bits of nvmlClocksThrottleReason..., as NVML has them
};

// Several readings together.
struct GpuLoad {
  std::int64_t sm_mhz_low = 0;
  std::int64_t sm_mhz_high = 0;
  std::int64_t celsius = 0;        // the highest
  std::uint64_t held_down_by = 0;  // by any of these at any of the readings
};

inline GpuLoad together(const std::optional<GpuLoad>& before, const GpuState& now) {
  if (!before) return {now.sm_mhz, now.sm_mhz, now.celsius, now.held_down_by};
  return {std::min(before->sm_mhz_low, now.sm_mhz), std::max(before->sm_mhz_high, now.sm_mhz),
          std::max(before->celsius, now.celsius), before->held_down_by | now.held_down_by};
}

// Of the first GPU that CUDA lists. Nothing where the driver has no NVML, or does not tell.
std::optional<GpuState> read_gpu_state();

}  // namespace tbci::suite
