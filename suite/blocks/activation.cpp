#include "suite/blocks/activation.hpp"

namespace tbci::suite {

torch::Tensor activate(const Activation activation, torch::Tensor x) {
  switch (activation) {
    case Activation::relu:
      return x.relu_();
    case Activation::relu6:
      return torch::relu6_(x);
    case Activation::silu:
      return at::silu_(x);
    case Activation::hardswish:
      return torch::hardswish_(x);
    case Activation::none:
      break;
  }
  return x;
}

}  // namespace tbci::suite
