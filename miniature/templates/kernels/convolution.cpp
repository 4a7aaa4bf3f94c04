// Convolutions. LibTorch chooses the library that computes them.
#include "kernels.hpp"

#include <ATen/ops/convolution_native.h>

#include "checks.hpp"

namespace miniature {
namespace {

/// Fails when the input and the filters do not belong to one convolution.
void check_filters(const at::Tensor& input, const at::Tensor& weight) {
  TORCH_CHECK(in_range(weight.dim(), kMostDimensions), "convolution: the filters have too many dimensions");
  TORCH_CHECK(input.dim() <= weight.dim(), "convolution: the input has more dimensions than the filters");
}

/// Fails for a number of groups that divides nothing.
void check_groups(std::int64_t groups) {
  TORCH_CHECK(groups > 0, "convolution: the number of groups must be positive, not ", groups);
}

}  // namespace

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, std::int64_t groups) {
  check_filters(input, weight);
  check_groups(groups);
  return at::native::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

}  // namespace miniature
