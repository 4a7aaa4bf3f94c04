// The labels of models that TorchBench trains on new random classes in every step.
#pragma once

#include <algorithm>

#include "suite/benchmark.hpp"

namespace tbci::suite {

// The cross entropy of the scores [batch, classes] with a random class for each. Only the first tenth of the classes
// occurs, so that there is something to learn: the loss of labels from all of them could not fall.
inline torch::Tensor loss_on_random_labels(const torch::Tensor& scores) {
  const auto classes = std::max<std::int64_t>(1, scores.size(1) / 10);
  const auto options = torch::TensorOptions().dtype(torch::kLong).device(scores.device());
  return at::cross_entropy_loss(scores, torch::empty({scores.size(0)}, options).random_(classes));
}

}  // namespace tbci::suite
