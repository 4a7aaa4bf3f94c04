// How the libraries of a build come to stand in a worker before those of LibTorch.
#pragma once

#include <filesystem>

#include "base/process.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// Whether LibTorch has a library of that name itself: libc10.so, libtorch_cpu.so, ...
bool replaces_libtorch(const std::filesystem::path& library);

/// Whether the dynamic linker can be told of that path: it takes spaces and colons for the end of a name.
bool is_preloadable(const std::filesystem::path& library);

/// Adds the product's libraries to a worker's command. One that takes the place of LibTorch's own must be there before
/// the program starts (`LD_PRELOAD`): opened later it would be a second copy beside the first, and the two register the
/// same names. One that adds to LibTorch is opened by the worker itself (`--preload`), once LibTorch is there.
void preload_libraries(Command& command, const model::Product& product);

}  // namespace tbci::runner
