// What a machine does at best.
#pragma once

#include <cstdint>
#include <optional>

namespace tbci::model {

/// As a worker measured it, with its threads and variables. All are above 0.
struct Peaks {
  bool gpu = false;                                   ///< of the GPU, else of the CPU
  std::int64_t fp32_flops_per_second = 0;             ///< of a large product of matrices
  std::optional<std::int64_t> bf16_flops_per_second;  ///< the same in bf16; nothing: the device cannot
  std::int64_t bytes_per_second = 0;                  ///< read and written by a copy
  bool operator==(const Peaks&) const = default;
};

}  // namespace tbci::model
