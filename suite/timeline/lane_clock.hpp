// One clock for all lanes: that of the thread that iterates. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "suite/timeline/lane.hpp"

namespace tbci::suite {

// The recorder works on the iterating thread, and its time there is taken out. So that clock stands still after each
// event, and goes on like any other until the next one. What other threads do is put into it: a moment at which it
// stands still is that at which it goes on.
class LaneClock {
 public:
  explicit LaneClock(const LaneRecord& iterating) : instants_(iterating.marks) {
    for (const RawCall& call : iterating.calls) {
      instants_.push_back({call.entered, call.begin});
      if (call.end >= 0) instants_.push_back({call.left, call.end});
    }
    std::sort(instants_.begin(), instants_.end(), [](const LaneInstant& a, const LaneInstant& b) {
      return a.real != b.real ? a.real < b.real : a.own < b.own;
    });
  }

  std::int64_t at(std::int64_t real) const {
    const auto next = std::lower_bound(instants_.begin(), instants_.end(), real,
                                       [](const LaneInstant& one, std::int64_t moment) { return one.real < moment; });
    if (instants_.empty()) return real;
    if (next == instants_.end()) return instants_.back().own + (real - instants_.back().real);
    const std::int64_t own = next->own - (next->real - real);
    return next == instants_.begin() ? own : std::max(own, std::prev(next)->own);
  }

 private:
  std::vector<LaneInstant> instants_;
};

}  // namespace tbci::suite
