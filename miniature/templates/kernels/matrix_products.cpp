// Matrix products: what every linear layer is made of, forward and backward.
#include "kernels.hpp"

#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>

#include "checks.hpp"
#include "description.hpp"

namespace miniature {
namespace {

/// Fails when a factor is not a matrix.
void check_rank(const at::Tensor& left, const at::Tensor& right, const char* name) {
  TORCH_CHECK(left.dim() == 2, name, ": the left factor is not a matrix: ", describe(left));
  TORCH_CHECK(right.dim() == 2, name, ": the right factor is not a matrix: ", describe(right));
}

/// Fails when two matrices can't be multiplied.
void check_product(const at::Tensor& left, const at::Tensor& right, const char* name) {
  TORCH_CHECK(left.size(1) == right.size(0), name, ": ", describe(left), " does not fit ", describe(right));
}

/// What every product checks before it runs.
void check_factors(const at::Tensor& left, const at::Tensor& right, const char* name) {
  check_rank(left, right, name);
  check_product(left, right, name);
}

}  // namespace

at::Tensor addmm(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta,
                 const at::Scalar& alpha) {
  check_factors(mat1, mat2, "addmm");
  return at::cpu::addmm(self, mat1, mat2, beta, alpha);
}

at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  check_factors(self, mat2, "mm");
  return at::cpu::mm(self, mat2);
}

}  // namespace miniature
