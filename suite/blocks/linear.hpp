// A linear layer that calls LibTorch's operator `linear`, as Python does. The C++ layer multiplies first and adds then
// where its input has more than two dimensions.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

class OneLinearImpl final : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;

  torch::Tensor forward(const torch::Tensor& x) { return torch::linear(x, weight, bias); }
};

class OneLinear final : public torch::nn::ModuleHolder<OneLinearImpl> {
 public:
  using torch::nn::ModuleHolder<OneLinearImpl>::ModuleHolder;
};

}  // namespace tbci::suite
