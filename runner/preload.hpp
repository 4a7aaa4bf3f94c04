// Loads the libraries of a build into a worker.
#pragma once

#include <filesystem>

#include "base/process.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// Whether LibTorch itself has a library of that name: libc10.so, libtorch_cpu.so, ...
bool replaces_libtorch(const std::filesystem::path& library);

/// Whether `LD_PRELOAD` can contain the path: the dynamic linker separates names at spaces and colons.
bool is_preloadable(const std::filesystem::path& library);

/// Adds the product's libraries to a worker's command. A library that replaces one of LibTorch's must be loaded before
/// the program starts (`LD_PRELOAD`): loaded later, it would be a second copy, and both would register the same names.
/// The worker itself opens a library that extends LibTorch (`--preload`), once LibTorch is loaded.
void preload_libraries(Command& command, const model::Product& product);

}  // namespace tbci::runner
