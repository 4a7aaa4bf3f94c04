// The workload of a computation without parameters and training.
#pragma once

#include <utility>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite {

inline std::unique_ptr<Workload> forward_only(std::function<Tensors()> forward, Tensors inputs) {
  StandardWorkload::Parts parts;
  parts.module = std::make_shared<torch::nn::Module>();
  parts.forward = std::move(forward);
  parts.inputs = std::move(inputs);
  return std::make_unique<StandardWorkload>(Mode::infer, std::move(parts));
}

}  // namespace tbci::suite
