// Sums (or averages) rows of a table, one bag of rows after another.
#include "kernels.hpp"

#include <ATen/ops/_embedding_bag_cpu_dispatch.h>
#include <ATen/ops/_embedding_bag_forward_only_cpu_dispatch.h>

#include "checks.hpp"

namespace miniature {
namespace {

// The modes of embedding_bag, as LibTorch numbers them.
constexpr std::int64_t kSum = 0;
constexpr std::int64_t kMax = 2;

/// Fails when the table, the indices or the offsets have the wrong shape.
void check_shapes(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets) {
  TORCH_CHECK(weight.dim() == 2, "embedding_bag: the table must be a matrix");
  TORCH_CHECK(indices.dim() == 1, "embedding_bag: the indices must be a vector");
  TORCH_CHECK(offsets.dim() == 1, "embedding_bag: the offsets must be a vector");
}

/// Fails when `mode` is none of sum, mean and max.
void check_mode(std::int64_t mode) {
  TORCH_CHECK(in_range(mode - kSum, kMax - kSum + 1), "embedding_bag: unknown mode ", mode);
}

/// Everything that must hold before a row is read.
void check_arguments(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                     std::int64_t mode) {
  check_shapes(weight, indices, offsets);
  check_mode(mode);
}

}  // namespace

Bags embedding_bag(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                   bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                   const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                   std::int64_t padding_idx) {
  check_arguments(weight, indices, offsets, mode);
  return at::cpu::_embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                                 include_last_offset, padding_idx);
}

Bags embedding_bag_forward_only(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                                bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                                const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                                std::int64_t padding_idx) {
  check_arguments(weight, indices, offsets, mode);
  return at::cpu::_embedding_bag_forward_only(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                                              per_sample_weights, include_last_offset, padding_idx);
}

}  // namespace miniature
