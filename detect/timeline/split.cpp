#include "detect/timeline/split.hpp"

#include <algorithm>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/fault_time.hpp"
#include "detect/timeline/gaps.hpp"

namespace tbci::detect {

namespace {

// Means of one iteration.
TimeSplit per_iteration(TimeSplit sum, const Look& look) {
  const auto count = static_cast<double>(look.timeline.iterations.size());
  return {.active = sum.active / count, .movement = sum.movement / count, .idle = sum.idle / count};
}

TimeSplit split_on_cpu(const Look& look) {
  TimeSplit sum;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    const model::TimelineCall& call = look.timeline.calls[i];
    if (call.thread != look.thread) continue;
    const auto self = static_cast<double>(look.calls[i].self);
    const double waited = std::min(self, static_cast<double>(call.waited));
    const double idle = waited + time_of_faults(look.timeline.speed,
                                                {.own = self - waited, .faults = static_cast<double>(call.faults)});
    const Purpose purpose = purpose_of(look.name(i));
    sum.idle += purpose == Purpose::node ? self : idle;
    if (purpose == Purpose::compute) sum.active += self - idle;
    if (purpose == Purpose::move) sum.movement += self - idle;
  }
  for (const std::int64_t outside : look.outside) sum.idle += static_cast<double>(outside);
  return per_iteration(sum, look);
}

TimeSplit split_on_gpu(const Look& look) {
  TimeSplit sum;
  for (const DeviceTime& one : device_times(look.timeline)) {
    sum.active += static_cast<double>(one.active);
    sum.movement += static_cast<double>(one.movement);
    sum.idle += static_cast<double>(one.idle);
  }
  return per_iteration(sum, look);
}

}  // namespace

TimeSplit split_of(const Look& look) {
  return look.timeline.on_gpu ? split_on_gpu(look) : split_on_cpu(look);
}

}  // namespace tbci::detect
