// Which GPU workers measure on: `[measure] gpu`, a number as nvidia-smi counts, or the UUID of a GPU or of an instance
// of one (MIG). Empty: the one that CUDA takes first.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/process.hpp"
#include "base/result.hpp"

namespace tbci::runner {

/// Why the text names no GPU; empty if it may name one.
std::string why_not_a_gpu(std::string_view text);

/// The variables with which CUDA sees this GPU alone; none for an empty choice. TBCI_GPU tells the worker that tbci has
/// chosen: a GPU that is not there is then the machine's fault, and not hidden by a user.
std::map<std::string, std::string> gpu_variables(const std::string& gpu);

struct ChosenGpu {
  std::string number;         ///< as nvidia-smi counts
  std::string instance = {};  ///< what it is called, `1g.10gb`, where the choice is an instance
};

/// `list`: what `nvidia-smi -L` prints. Error (machine), with what it lists, where the choice is not there.
Result<ChosenGpu> find_gpu(std::string_view list, const std::string& gpu);
/// Asks nvidia-smi. Error (machine) also where that fails; (interrupted).
Result<ChosenGpu> find_gpu(ProcessRunner& processes, const std::string& gpu, std::stop_token stop);

}  // namespace tbci::runner
