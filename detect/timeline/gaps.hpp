// When a device works, and when it waits for the host. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/model/timeline.hpp"

namespace tbci::detect {

struct Span {
  std::int64_t begin = 0, end = 0;
};

/// Nanoseconds of the device in one iteration.
struct DeviceTime {
  std::int64_t active = 0;    ///< a kernel, a memset or a copy within the device ran
  std::int64_t movement = 0;  ///< none of these, but a copy from or to the host
  std::int64_t idle = 0;      ///< neither, without what the recorder added
  std::vector<Span> gaps;     ///< where neither ran, in order
  double stretched = 1;       ///< the gaps together are this many times as long as `idle`; at least 1; infinite: the
                              ///< recorder made all of them
};

/// One for each iteration. Work that runs side by side counts once, what is outside of an iteration not at all. The
/// recorder slows the host and not the device, so what it adds to an iteration is in the gaps.
std::vector<DeviceTime> device_times(const model::Timeline& timeline);

}  // namespace tbci::detect
