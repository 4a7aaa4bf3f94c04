// What a page's first touch costs beside the iterations of a recording.
#pragma once

#include <cstdint>
#include <vector>

namespace tbci::suite {

// Of calls with these page faults: how many pages half of the faults, or more, come with at once. 1024 (4 MiB) without
// any; at least 64, at most 16384.
std::int64_t pages_at_once(std::vector<std::int64_t> faults_of_calls);

// Of an operator that writes to a page; 0 if nothing was measured.
struct PageCost {
  std::int64_t fault_nanoseconds = 0;  // more, the first time
  std::int64_t write_nanoseconds = 0;  // the second time
};

// On a virtual machine the price changes from second to second, so it is measured between the iterations; with as much
// memory at once as the recorded calls touch, as what fits into the caches may cost less. An operator that does nothing
// but write waits for the memory the second time and not the first, as the kernel has just put the page into the cache;
// one that computes meanwhile never waits. So a fault costs them differently.
class FaultPrice {
 public:
  // By how much writing to this many pages is slower the first time; three times each, in some tenths of a second at
  // most. Pages are of this machine's usual kind, as an allocator gets them.
  void measure(std::int64_t pages);

  // Medians.
  PageCost of_writing() const;
  PageCost of_computing() const;

 private:
  std::vector<PageCost> writing_, computing_;
};

}  // namespace tbci::suite
