// Exhausted memory that no exception of its own tells of.
#pragma once

#include <string>

namespace tbci::suite {

// LibTorch's host allocator and CUDA's libraries throw general errors, so only their text identifies them.
bool tells_of_memory(const std::string& message);

}  // namespace tbci::suite
