// Libraries that change LibTorch, such as one that registers other kernels, opened before any model is built.
#pragma once

#include <string>
#include <vector>

namespace tbci::suite {

// Opens them in this order, for the whole life of the process, with their symbols visible to all.
// Returns the reason why one cannot be opened; empty when all are.
std::string preload(const std::vector<std::string>& libraries);

// All that were opened so far: what a further process of the same run has to open as well.
const std::vector<std::string>& preloaded();

}  // namespace tbci::suite
