// The workload of a model with one module, one loss and one optimizer: nearly all of them.
#pragma once

#include <functional>
#include <memory>

#include "suite/benchmark.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite {

class StandardWorkload final : public Workload {
 public:
  // Set the members by name. A model that only infers needs no loss and no optimizer.
  struct Parts {
    std::shared_ptr<torch::nn::Module> module;  // already on its device
    std::function<Tensors()> forward;           // on the prepared inputs
    std::function<torch::Tensor(const Tensors&)> loss = nullptr;
    OptimizerFactory optimizer = nullptr;
    bool gradients_in_inference = false;  // for a model whose outputs are derivatives
    Tensors inputs = {};                  // of `forward`, for the comparison with the original; may stay empty
  };

  StandardWorkload(Mode mode, Parts parts);

  void iterate() override;
  Tensors results() const override { return results_; }
  Tensors parameters() const override { return parts_.module->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return parts_.module; }
  Tensors inputs() const override { return parts_.inputs; }

 private:
  void train();

  Mode mode_;
  Parts parts_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;  // in training only
  Tensors results_;
};

// The mode is that of the setup.
std::unique_ptr<Workload> standard_workload(const Setup& setup, StandardWorkload::Parts parts);

}  // namespace tbci::suite
