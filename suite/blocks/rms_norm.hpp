// Zhang and Sennrich, Root Mean Square Layer Normalization (2019), of elementary operators: no mean, no shift.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

class RmsNorm : public torch::nn::Module {
 public:
  RmsNorm(std::int64_t width, double epsilon)
      : epsilon_(epsilon), weight_(register_parameter("weight", torch::ones({width}))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    return weight_ * (x * torch::rsqrt(x.pow(2).mean(-1, true) + epsilon_));
  }

 private:
  double epsilon_;
  torch::Tensor weight_;
};

}  // namespace tbci::suite
