#include "suite/blocks/standard_workload.hpp"

#include <utility>

namespace tbci::suite {

StandardWorkload::StandardWorkload(Mode mode, Parts parts) : mode_(mode), parts_(std::move(parts)) {
  parts_.module->train(mode == Mode::train);
  if (mode == Mode::train) optimizer_ = parts_.optimizer(parts_.module->parameters());
}

void StandardWorkload::iterate() {
  if (mode_ == Mode::train) {
    train();
  } else if (parts_.gradients_in_inference) {
    results_ = parts_.forward();
  } else {
    const torch::NoGradGuard no_gradients;
    results_ = parts_.forward();
  }
}

void StandardWorkload::train() {
  zero_gradients(*optimizer_);
  torch::Tensor loss = parts_.loss(parts_.forward());
  loss.backward();
  take_step(*optimizer_);
  results_ = {loss.detach()};
}

std::unique_ptr<Workload> standard_workload(const Setup& setup, StandardWorkload::Parts parts) {
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace tbci::suite
