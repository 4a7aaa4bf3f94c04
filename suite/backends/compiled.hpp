// A traced iteration as a workload: run by TorchScript's executor, or as a package of AOTInductor.
#pragma once

#include <memory>
#include <string>

#include "suite/backends/backend.hpp"
#include "suite/backends/trace.hpp"

namespace tbci::suite {

// Its results are those of the iteration; `gradients` has what came after them. Its parameters have shapes and no
// numbers.
class CompiledWorkload : public Workload {
 public:
  virtual Tensors gradients() const { return {}; }
};

// As it was recorded, operator by operator: no compiler changes it.
std::unique_ptr<CompiledWorkload> interpreted(const Traced& traced);

// By jit, jit-frozen or onednn-graph. Takes what it needs of the trace. Throws what LibTorch throws; Unsupported if the
// compiler computed the results once for all.
std::unique_ptr<CompiledWorkload> compiled(Backend backend, const Traced& traced);

// Throws one line with the reason if the package does not load: Unsupported if this LibTorch has no packages, or if it
// is for another kind of device.
std::unique_ptr<CompiledWorkload> packaged(const std::string& file, const Traced& traced, const torch::Device& device);

}  // namespace tbci::suite
