// A planted fault for learning_truth.py: preloaded, it is a LibTorch whose Adagrad rounds weights to bf16 after each
// step.
#include <ATen/ATen.h>
#include <ATen/CPUFunctions.h>
#include <torch/library.h>

namespace {

at::Tensor& rounded(at::Tensor& weights) {
  return weights.copy_(weights.to(at::kBFloat16));
}

// The step of dense weights.
at::Tensor& addcdiv_rounded(at::Tensor& self, const at::Tensor& one, const at::Tensor& other, const at::Scalar& value) {
  at::cpu::addcdiv_(self, one, other, value);
  return rounded(self);
}

// The step of rows that were looked up. Sums of squared gradients come here as well, and stay as they are.
at::Tensor& add_rows_rounded(at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  TORCH_CHECK(!self.is_sparse() && other.is_sparse(), "only rows that are added to a table are known here");
  self.index_add_(0, other._indices()[0], other._values(), alpha);
  return self.requires_grad() ? rounded(self) : self;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("addcdiv_", addcdiv_rounded);
}

TORCH_LIBRARY_IMPL(aten, SparseCPU, library) {
  library.impl("add_.Tensor", add_rows_rounded);
}
