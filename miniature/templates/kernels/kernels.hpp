#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

/// The kernels of this library. Each has the signature of the operator that it replaces.
namespace miniature {

using Bags = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
using Normalized = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// embedding_bag.cpp
Bags embedding_bag(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                   bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                   const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                   std::int64_t padding_idx);
Bags embedding_bag_forward_only(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                                bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                                const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                                std::int64_t padding_idx);

// activations.cpp
at::Tensor relu(const at::Tensor& self);
at::Tensor& relu_(at::Tensor& self);
at::Tensor gelu(const at::Tensor& self, c10::string_view approximate);
at::Tensor elu(const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale);
at::Tensor& elu_(at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale);
at::Tensor tanh(const at::Tensor& self);

// matrix_products.cpp
at::Tensor addmm(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta,
                 const at::Scalar& alpha);
at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2);

// convolution.cpp
at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, std::int64_t groups);

// normalization.cpp
Normalized native_layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                             const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                             double eps);
at::Tensor softmax(const at::Tensor& self, std::int64_t dim, bool half_to_float);

// communication.cpp
/// Fails when ranks cannot send this tensor.
void check_sent(const at::Tensor& sent);

}  // namespace miniature
