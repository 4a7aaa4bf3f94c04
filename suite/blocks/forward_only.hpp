// The workload of a computation without parameters and training.
#pragma once

#include <utility>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite {

inline std::unique_ptr<Workload> forward_only(std::function<Tensors()> forward, Tensors inputs) {
  return std::make_unique<StandardWorkload>(
      Mode::infer,
      StandardWorkload::Parts{
          .module = std::make_shared<torch::nn::Module>(), .forward = std::move(forward), .inputs = std::move(inputs)});
}

}  // namespace tbci::suite
