// The host memory that this process holds.
#pragma once

#include <cstdint>

namespace tbci::suite {

// Restarts the count of the peak. False if the kernel refuses; the peak is then that of the whole process.
bool reset_peak();

// The largest resident set since the last `reset_peak` (VmHWM), in bytes; 0 if the kernel does not report it.
std::int64_t peak_bytes();

// Fills the calling thread's cache of free chunks. The allocator counts these chunks as in use, and the cache fills
// over many iterations, which would look like growth.
void settle_allocator();

// Bytes that the program has allocated and not freed: by the allocator's own count if it has one, else the resident
// set.
std::int64_t in_use_bytes();

// The resident set now; 0 if the kernel does not report it. Allocates nothing.
std::int64_t resident_bytes();

// The resident set by what lies behind its pages: nothing but memory, or files that are mapped. Zeros if the kernel
// does not report them.
struct ResidentPages {
  std::int64_t anonymous_bytes = 0;
  std::int64_t file_bytes = 0;
};
ResidentPages resident_pages();

}  // namespace tbci::suite
