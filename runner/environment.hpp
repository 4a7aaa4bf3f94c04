// The environment of measurements: all facts of the machine that can change a number.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// Where to read the facts. Tests use their own folders.
struct EnvironmentSettings {
  std::filesystem::path root = "/";  ///< contains proc/ and sys/
  bool ask_gpu = true;               ///< run nvidia-smi if it is installed
  /// Environment variables that a worker inherits; default: those of this process.
  std::optional<std::map<std::string, std::string>> variables;
  std::string gpu = {};  ///< the one that was chosen, and whose facts alone are read (gpu_choice.hpp); empty: all
};

/// Facts that stay constant while nobody changes the machine: not the current clock frequency, load or free memory.
/// Omits what cannot be read; of a chosen GPU that is not found it says why. Only a worker knows which libraries are
/// loaded: see worker_environment.hpp.
model::Environment read_environment(ProcessRunner& processes, const EnvironmentSettings& settings = {},
                                    std::stop_token stop = {});

/// The first line of `c++ --version`, or of the compiler that the variable CXX names, which children inherit; empty
/// without a compiler. Error (interrupted) if a stop was requested.
Result<std::string> compiler_version(ProcessRunner& processes, std::stop_token stop = {});

/// What `nvcc --version` says, as one line, of the first that runs of those that CMake looks for: CUDACXX, in
/// CUDA_HOME, in CUDA_PATH, on PATH, in /usr/local/cuda; empty without one. Error (interrupted) if a stop was
/// requested.
Result<std::string> cuda_compiler_version(ProcessRunner& processes, std::stop_token stop = {});

}  // namespace tbci::runner
