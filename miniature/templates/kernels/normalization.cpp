// Layer normalization and softmax.
#include "kernels.hpp"

#include <ATen/ops/_softmax_cpu_dispatch.h>
#include <ATen/ops/native_layer_norm_cpu_dispatch.h>

#include "checks.hpp"

namespace miniature {
namespace {

/// Fails when more dimensions are normalized than there are.
void check_normalized(const at::Tensor& input, at::IntArrayRef normalized_shape) {
  const auto dimensions = static_cast<std::int64_t>(normalized_shape.size());
  TORCH_CHECK(dimensions <= input.dim(), "layer_norm: ", dimensions, " dimensions of ", input.dim());
}

/// Fails for a dimension that the tensor does not have. Negative ones count from the end.
void check_dimension(const at::Tensor& self, std::int64_t dim) {
  const std::int64_t dimensions = self.dim() == 0 ? 1 : self.dim();
  TORCH_CHECK(in_range(dim + dimensions, 2 * dimensions), "softmax: no dimension ", dim);
}

}  // namespace

Normalized native_layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                             const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                             double eps) {
  check_normalized(input, normalized_shape);
  return at::cpu::native_layer_norm(input, normalized_shape, weight, bias, eps);
}

at::Tensor softmax(const at::Tensor& self, std::int64_t dim, bool half_to_float) {
  check_dimension(self, dim);
  return at::cpu::_softmax(self, dim, half_to_float);
}

}  // namespace miniature
