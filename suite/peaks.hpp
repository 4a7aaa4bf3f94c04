// What a device does at best, in this process, with its threads and variables.
#pragma once

#include <cstdint>
#include <optional>

#include "suite/configuration.hpp"

namespace tbci::suite {

// A second. The best of several tries: what else the machine does only takes away.
struct Peaks {
  std::int64_t fp32_flops = 0;                  // of a large product of matrices
  std::optional<std::int64_t> bf16_flops = {};  // nothing: the device cannot
  std::int64_t bytes = 0;                       // read and written by a copy that no cache holds
};

// Takes a second or two, and memory for two tensors of 128 MiB. Throws what LibTorch throws.
Peaks peaks_of(DeviceKind device);

}  // namespace tbci::suite
