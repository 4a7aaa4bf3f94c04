// The workload of a model with one network and its own training step. If a loss and an optimizer describe the step, use
// a StandardWorkload.
#pragma once

#include <memory>
#include <utility>

#include "suite/benchmark.hpp"

namespace tbci::suite {

template <class Network>
class NetworkWorkload : public Workload {
 public:
  void iterate() final {
    if (training_) {
      results_ = train();
      return;
    }
    const torch::NoGradGuard no_gradients;
    results_ = infer();
  }

  Tensors results() const final { return results_; }
  Tensors parameters() const final { return network_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const final { return network_; }

 protected:
  NetworkWorkload(const Setup& setup, std::shared_ptr<Network> network)
      : training_(setup.mode == Mode::train), network_(std::move(network)) {
    network_->to(setup.device);
    network_->train(training_);
  }

  bool training() const { return training_; }
  Network& network() const { return *network_; }

 private:
  virtual Tensors train() = 0;  // one step: returns the losses
  virtual Tensors infer() = 0;  // runs without gradients: returns the outputs

  bool training_;
  std::shared_ptr<Network> network_;
  Tensors results_;
};

}  // namespace tbci::suite
