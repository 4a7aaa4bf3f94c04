// A policy's action: a normal distribution squashed by tanh to -1 to 1, as soft actor-critic agents have it.
#pragma once

#include <cmath>

#include "suite/benchmark.hpp"

namespace tbci::suite {

struct Action {
  torch::Tensor action;
  torch::Tensor log_probability;
};

class SquashedNormal {
 public:
  // From a policy's outputs [batch, 2 * size]: the means, and what the standard deviations follow from.
  explicit SquashedNormal(const torch::Tensor& outputs) {
    const auto parts = outputs.chunk(2, 1);
    mean_ = parts[0];
    log_deviation_ = -10.0 + 6.0 * (torch::tanh(parts[1]) + 1.0);  // from -10 to 2
  }

  torch::Tensor best() const { return torch::tanh(mean_); }

  // The log probability [batch, 1] is that of all actions together.
  Action sample() const {
    const torch::Tensor noise = torch::randn_like(log_deviation_);
    const torch::Tensor free = mean_ + log_deviation_.exp() * noise;
    const torch::Tensor of_normal =
        -0.5 * noise * noise - log_deviation_ - 0.5 * std::log(2.0 * 3.14159265358979323846);
    const torch::Tensor of_tanh = 2.0 * (std::log(2.0) - free - torch::softplus(-2.0 * free));
    return {torch::tanh(free), (of_normal - of_tanh).sum(-1, true)};
  }

 private:
  torch::Tensor mean_, log_deviation_;
};

}  // namespace tbci::suite
