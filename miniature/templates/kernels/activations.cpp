// The activation functions: relu, gelu, elu (and with it selu) and tanh.
#include "kernels.hpp"

#include <ATen/ops/elu_cpu_dispatch.h>
#include <ATen/ops/gelu_cpu_dispatch.h>
#include <ATen/ops/relu_cpu_dispatch.h>
#include <ATen/ops/tanh_cpu_dispatch.h>

#include "checks.hpp"

namespace miniature {
namespace {

/// Fails for a tensor without storage, which has no values to work on.
void check_storage(const at::Tensor& self, const char* name) {
  TORCH_CHECK(self.defined(), name, ": the input is not defined");
}

/// Fails for a kind of gelu that is not known.
void check_approximation(c10::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh", "gelu: unknown approximation ", approximate);
}

/// What every activation checks before it runs.
void check_activation(const at::Tensor& self, const char* name) {
  check_storage(self, name);
}

}  // namespace

at::Tensor relu(const at::Tensor& self) {
  check_activation(self, "relu");
  return at::cpu::relu(self);
}

at::Tensor& relu_(at::Tensor& self) {
  check_activation(self, "relu_");
  return at::cpu::relu_(self);
}

at::Tensor gelu(const at::Tensor& self, c10::string_view approximate) {
  check_activation(self, "gelu");
  check_approximation(approximate);
  return at::cpu::gelu(self, approximate);
}

at::Tensor elu(const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale,
               const at::Scalar& input_scale) {
  check_activation(self, "elu");
  return at::cpu::elu(self, alpha, scale, input_scale);
}

at::Tensor& elu_(at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale) {
  check_activation(self, "elu_");
  return at::cpu::elu_(self, alpha, scale, input_scale);
}

at::Tensor tanh(const at::Tensor& self) {
  check_activation(self, "tanh");
  return at::cpu::tanh(self);
}

}  // namespace miniature
