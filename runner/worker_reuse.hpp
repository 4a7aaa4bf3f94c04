// One worker for several LibTorch with equal headers: most days change none of them, and a commit that a bisection
// builds seldom does. A worker finds its LibTorch through the link `torch` beside it (suite/CMakeLists.txt), so a copy
// beside another link serves another LibTorch, without compiling anything.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"

namespace tbci::runner {

/// Of everything that a worker is compiled from in the prefix: the headers, what CMake reads of it, the names of its
/// libraries, and the CUDA headers that lie beside it. Nothing where it cannot be read, or has more files than a
/// LibTorch has: then a worker is built.
std::optional<std::string> header_key(const std::filesystem::path& prefix);

struct WorkerFolder {
  std::filesystem::path folder;  ///< exists: where the worker for this LibTorch belongs
  std::filesystem::path prefix;  ///< of this LibTorch
  std::string kind;              ///< equal where the sources, the compiler, the flags and the headers are equal
};

/// Keeps in the folder of a worker that is complete what kind it is.
Status remember_kind(const WorkerFolder& place);

/// Gives the folder the worker of another LibTorch, if one of the folders beside it has one of the same kind and the
/// loader finds in this LibTorch all that it needs (`ldd -r`, which runs none of its code). False: there is none, and
/// the folder is as it was. Error (interrupted) or (machine) where the loader could not be asked.
Result<bool> reuse_worker(ProcessRunner& processes, const WorkerFolder& place, std::stop_token stop);

}  // namespace tbci::runner
