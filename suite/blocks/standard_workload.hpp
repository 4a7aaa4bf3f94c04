// The workload of a model with one module, one loss and one optimizer: nearly all of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite {

class StandardWorkload final : public Workload {
 public:
  struct Parts {
    std::shared_ptr<torch::nn::Module> module;  // already on its device
    std::function<Tensors()> forward;           // on the prepared inputs
    std::function<torch::Tensor(const Tensors&)> loss;
    std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<torch::Tensor>)> optimizer;
    bool gradients_in_inference = false;  // for a model whose outputs are derivatives
    Tensors inputs;                       // what `forward` takes, to show to the original; may stay empty
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

// The optimizer that TorchBench gives to most models.
std::unique_ptr<torch::optim::Optimizer> adam(std::vector<torch::Tensor> parameters, double learning_rate);

}  // namespace tbci::suite
