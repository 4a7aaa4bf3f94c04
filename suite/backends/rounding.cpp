#include "suite/backends/rounding.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

namespace tbci::suite {

void add_rounding(const Tensors& tensors, std::uint64_t seed) {
  constexpr double millionth = 0x1p-20;
  const torch::NoGradGuard no_gradients;
  const at::Generator ways = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (const torch::Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.layout() != torch::kStrided) continue;
    if (tensor.scalar_type() != torch::kFloat && tensor.scalar_type() != torch::kDouble) continue;
    const torch::Tensor up = torch::rand(tensor.sizes(), ways, torch::kFloat).gt(0.5);
    torch::Tensor numbers = tensor.detach();
    numbers.mul_(torch::where(up, 1 + millionth, 1 - millionth).to(numbers.options()));
  }
}

}  // namespace tbci::suite
