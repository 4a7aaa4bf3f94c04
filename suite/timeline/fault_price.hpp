// What a page's first touch costs beside the iterations of a recording.
#pragma once

#include <cstdint>
#include <vector>

namespace tbci::suite {

// Of calls with these page faults: how many pages half of the faults, or more, come with at once. 1024 (4 MiB) without
// any; at least 64, at most 16384.
std::int64_t pages_at_once(std::vector<std::int64_t> faults_of_calls);

// On a virtual machine the price changes from second to second, so it is measured between the iterations; with as much
// memory at once as the recorded calls touch, as what fits into the caches may cost less.
class FaultPrice {
 public:
  // By how much writing to this many pages is slower the first time; three times, in some tenths of a second at most.
  // Pages are of this machine's usual kind, as an allocator gets them.
  void measure(std::int64_t pages);

  // Nanoseconds a page, the median; 0 if nothing was measured.
  std::int64_t nanoseconds() const;

 private:
  std::vector<std::int64_t> prices_;
};

}  // namespace tbci::suite
