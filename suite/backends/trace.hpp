// One iteration of a workload as a TorchScript module, recorded by LibTorch's tracer while the workload runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "suite/backends/known_values.hpp"
#include "suite/benchmark.hpp"

namespace tbci::suite {

// Copies of tensors, to repeat an iteration from the same state.
class Snapshot {
 public:
  explicit Snapshot(const Tensors& tensors);
  void add(std::vector<GeneratorState> generators) { generators_ = std::move(generators); }
  void restore() const;

 private:
  struct Kept {
    torch::Tensor tensor, copy;
  };
  std::vector<Kept> kept_;
  std::vector<GeneratorState> generators_;
};

struct Traced {
  torch::jit::Module module;  // `forward(inputs)` gives the results, then the gradients, as a tuple if many
  Tensors inputs;             // what an iteration reads and does not change: data, tables that the model keeps
  Tensors parameters;         // of the workload, with their gradients' places
  // Of the traced iteration, as eager computed it. Where a parameter has no gradient, none is in the list.
  Tensors results, gradients;
  std::int64_t products = 0;  // matrix products and convolutions of an iteration of the workload
  Snapshot before;            // the state that it began with; random numbers began with the seed
};

// Runs two iterations under the tracer; what is made once (an optimizer's tensors) must have been made. In training the
// whole iteration becomes one graph: the backward pass and the optimizer's step are operators in it like others, so it
// runs without autograd. A number that the model reads from a tensor, and a count of the optimizer's steps, stay what
// they were in the traced iteration. What an iteration changes, or could (parameters, buffers, the optimizer's
// tensors), are attributes of the module. Throws Unsupported if the tracer does not understand the workload.
Traced trace(Workload& workload, Mode mode, std::uint64_t seed);

}  // namespace tbci::suite
