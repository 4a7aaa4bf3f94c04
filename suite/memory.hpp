// What this process holds of the host's memory.
#pragma once

#include <cstdint>

namespace tbci::suite {

// Starts a new count of the peak. False where the kernel refuses: then the peak is that of the whole process.
bool reset_peak();

// The largest resident set since the last `reset_peak` (VmHWM), in bytes; 0 where the kernel does not say.
std::int64_t peak_bytes();

// Fills the calling thread's cache of free chunks to the brim. The allocator counts what lies there as in use, and it
// fills over many iterations: that would look like growth.
void settle_allocator();

// Bytes that the program has allocated and not given back: by the allocator's own count where it has one, else the
// resident set.
std::int64_t in_use_bytes();

// The resident set now; 0 where the kernel does not say. Allocates nothing.
std::int64_t resident_bytes();

}  // namespace tbci::suite
